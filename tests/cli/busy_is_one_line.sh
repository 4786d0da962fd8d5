#!/bin/sh
# A refusal is one line that names lock and holders, and exit code 75.
. "$(dirname "$0")/lib.sh"

start atmost run -n 2 --id 'night shift' build sleep 60
start atmost run -n 2 build sleep 60
wait_until '[ "$(atmost check build)" = 2 ]'
expect_code 75 atmost run -n 2 build true
expect_line 1 err
expect_in err "atmost: busy: build: 2 of 2 slots held (by "
expect_in err " sleep"
expect_in err '"night shift"'
expect_code 75 atmost run -q -n 2 build true
expect_line 0 err
expect_code 3 atmost run -q --busy-exit-code 3 -n 2 build true
expect_code 0 atmost run --on-busy=skip -n 2 build true
expect_line 0 err
expect_code 0 atmost run -n 3 build true

# A holder of several slots is named once.
start atmost run -n 2 -k 2 both sleep 60
holder=$started
wait_until '[ "$(atmost check both)" = 2 ]'
expect_code 75 atmost run -n 2 both true
expect_line 1 err
[ "$(grep -o "$holder" err | wc -l)" -eq 1 ] || fail "$(cat err)"

# A command without a name is named.
expect_code 127 atmost run empty ''
expect_in err 'atmost: empty: "", an empty COMMAND: No such file or directory'
