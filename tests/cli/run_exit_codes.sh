#!/bin/sh
# The command's exit code is atmost's.
. "$(dirname "$0")/lib.sh"

for code in 0 1 7 64 75 126 255; do
  expect_code $code atmost run lock sh -c "exit $code"
  expect_line 0 err
done
expect_code 127 atmost run lock ./no-such-command
expect_in err "./no-such-command"
expect_line 1 err
: >plain
expect_code 126 atmost run lock ./plain
expect_in err "./plain"
expect_code 0 atmost check lock
expect_in out 0
