#!/bin/sh
# A wait that runs out ends as busy, with its length in the message.
. "$(dirname "$0")/lib.sh"

start atmost run build sleep 60
wait_until '[ "$(atmost check build)" = 1 ]'
expect_code 75 atmost run -w 150ms build true
grep -qE '; waited (1[5-9]|[2-9][0-9])[0-9]ms$|; waited [0-9]+s$' err || fail "$(cat err)"
expect_line 1 err
