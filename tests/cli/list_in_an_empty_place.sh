#!/bin/sh
# list succeeds in a directory that does not exist.
. "$(dirname "$0")/lib.sh"

rmdir locks
expect_code 0 atmost list
expect_line 1 out
expect_line 0 err
expect_code 0 atmost list --json
expect_line 0 out
[ ! -e locks ] || fail "list created the directory"
