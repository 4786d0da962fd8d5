#!/bin/sh
# With -v every step is reported on standard error.
. "$(dirname "$0")/lib.sh"

expect_code 4 atmost run -v build sh -c 'exit 4'
expect_line 2 err
expect_in err "atmost: build: admitted to slot 1, token "
expect_in err "atmost: build: the command exited with 4 after "
expect_code 4 atmost run -v --json build sh -c 'exit 4'
expect_in err '{"kind":"admitted","code":0,"lock":"build","slot":1,'
expect_in err '"status":4,"signal":null,'
