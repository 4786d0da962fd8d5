#!/bin/sh
# Names and ids with control bytes are shown escaped, on every stream.
. "$(dirname "$0")/lib.sh"

name=$(printf 'red\033[31m\nline')
start atmost run --id "$name" "$name" sleep 60
wait_until '[ "$(atmost check "$name")" = 1 ]'
expect_code 75 atmost run "$name" true
expect_line 1 err
expect_in err 'red\x1B[31m\nline'
expect_code 0 atmost list
expect_line 2 out
expect_in out 'red\x1B[31m\nline	1	held'
expect_code 0 atmost list --json
expect_line 1 out
expect_in out '"lock":"red\u001b[31m\nline"'
expect_code 64 atmost run --wait "$name" x true
expect_line 1 err
expect_code 64 atmost "$name"
expect_line 1 err
if grep -q "$(printf '\033')" err out; then fail "an escape byte came through"; fi
