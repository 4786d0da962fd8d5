#!/bin/sh
# Without LOCK every lock of the directory is listed, by the name it was given.
. "$(dirname "$0")/lib.sh"

for lock in build x.lock .hidden 'a b' 'k=v' backup:/home; do
  start atmost run "$lock" -- sleep 60
  wait_until '[ "$(atmost check "$lock")" = 1 ]'
done
expect_code 0 atmost list
for lock in build x.lock .hidden 'a b' 'k=v' backup:/home; do
  expect_in out "$lock	1	held	"
done
expect_line 7 out
# shellcheck disable=SC2010,SC2012  # escaped names hold no newline
[ "$(ls locks | wc -l)" -eq "$(ls locks | grep -c '\.lock$')" ] || ls -a locks
[ -e locks/x.lock.lock ] || fail "x.lock is not x.lock.lock: $(ls locks)"
[ -e 'locks/a%20b.lock' ] || fail "no a%20b.lock: $(ls locks)"
