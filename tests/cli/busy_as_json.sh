#!/bin/sh
# With --json a refusal is one JSON object on standard error, and standard output stays the
# command's.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost run --json build echo hello
expect_line 0 err
expect_in out hello
start atmost run build sleep 60
wait_until '[ "$(atmost check build)" = 1 ]'
expect_code 75 atmost run --json build true
expect_line 0 out
expect_line 1 err
expect_in err '{"kind":"busy","code":75,"lock":"build",'
expect_in err '"held":1,"reason":"no_slot"}'
expect_code 64 atmost run --json .. true
expect_in err '"kind":"failed","code":64'
