#!/bin/sh
# A run whose supervisor was killed with it leaves no end in the history: the next admission of its
# slot notes that.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "no word of the supervisor's death"

start atmost run job -- sh -c 'echo $$ >pid; exec sleep 600'
supervisor=$started
wait_until '[ -s pid ]'
wait_until '[ -n "$(atmost history --json --event admitted job 2>/dev/null)" ]'
token=$(atmost history --json --event admitted job | sed 's/.*"token":\([0-9]*\).*/\1/')
kill -KILL "$supervisor"
kill -KILL "$(cat pid)"
expect_end 137 "$supervisor"
wait_until '[ "$(atmost check job)" = 0 ]'
expect_code 0 atmost run job true
expect_code 0 atmost history --json --event vanished job
expect_line 1 out
expect_in out "\"slot\":1,"
expect_in out "\"holder_pid\":$supervisor,\"holder_token\":$token}"
expect_code 0 atmost history job
expect_in out "ended without a trace"
[ "$(awk '{ print $2 }' out | tr '\n' ' ')" = "EVENT admitted vanished admitted ended " ] || fail "$(cat out)"
expect_code 0 atmost stats --json job
expect_in out '"runs":2,'

# It does so once, and not for a run that ended in good order.
expect_code 0 atmost run job true
expect_code 0 atmost run -n 3 -k 2 job true
expect_code 0 atmost history --json --event vanished job
expect_line 1 out
