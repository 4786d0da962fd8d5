#!/bin/sh
# wait returns when one more would be admitted, and holds nothing.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost wait -n 1 build
mkfifo gate
start atmost run build sh -c 'read -r go <gate'
wait_until '[ "$(atmost check build)" = 1 ]'
expect_code 75 atmost wait -n 1 -w 100ms build
start atmost wait -n 1 build
waiter=$started
wait_until 'atmost list --json build | grep -q "\"state\":\"waiting\""'
echo go >gate
expect_end 0 "$waiter"
expect_code 0 atmost check build
expect_in out 0
