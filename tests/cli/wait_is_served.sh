#!/bin/sh
# A waiter runs when a slot is free, and is listed until then.
. "$(dirname "$0")/lib.sh"

mkfifo gate
start atmost run build sh -c 'read -r go <gate'
wait_until '[ "$(atmost check build)" = 1 ]'
start atmost run -w 60 build sh -c 'echo served >served'
waiter=$started
wait_until 'atmost list --json build | grep -q "\"state\":\"waiting\".*\"position\":1"'
echo go >gate
expect_end 0 "$waiter"
expect_in served served
