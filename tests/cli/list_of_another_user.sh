#!/bin/sh
# Root may look at a user's private lock, but still may not take it.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "not root"
id nobody >/dev/null 2>&1 && command -v setpriv >/dev/null || skip "no other user, or no setpriv"

mkdir theirs
chown nobody theirs
chmod 755 .
start setpriv --reuid=nobody --clear-groups atmost run --id theirs "$folder/theirs/a.lock" -- sleep 100
# A slot is locked first and described afterwards.
wait_until 'atmost list ./theirs/a.lock 2>/dev/null | grep -q nobody'
expect_code 0 atmost list ./theirs/a.lock
expect_in out "nobody"
expect_code 0 atmost explain ./theirs/a.lock
expect_in out "(the locks are right): none"
expect_code 77 atmost run ./theirs/a.lock -- true
expect_in err "belongs to another user"
