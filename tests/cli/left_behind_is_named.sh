#!/bin/sh
# A killed supervisor's slot is kept by what its command left behind: a refusal and list name that,
# not the dead.
. "$(dirname "$0")/lib.sh"
[ "${ATMOST_PORTABLE-}" ] && skip "other processes cannot be seen in a POSIX-only build"

start atmost run --no-history ./job.lock -- sh -c 'sleep 600 >/dev/null 2>&1 & echo $! >daemon; wait'
supervisor=$started
wait_until '[ -s daemon ] && grep -q sleep "/proc/$(cat daemon)/comm"'
daemon=$(cat daemon)
kill -KILL "$supervisor"
wait "$supervisor" 2>/dev/null || :
shell=$(sed 's/.*) . \([0-9]*\) .*/\1/' "/proc/$daemon/stat")
if [ "$shell" != 1 ] && [ "$(cat "/proc/$shell/comm")" = sh ] && [ "$shell" != $$ ]; then kill -KILL "$shell"; fi
only_daemon() { atmost explain ./job.lock >out && grep -q "slot 1: process $daemon (sleep" out; }
wait_until 'only_daemon'
code=0
atmost run --no-history ./job.lock -- true 2>err || code=$?
atmost list --json ./job.lock >out
kill -KILL "$daemon"
[ "$code" = 75 ] || fail "exit code $code"
expect_in err "(by $daemon sleep, left behind by $supervisor, which has ended)"
expect_in out "\"pid\":$daemon,"
