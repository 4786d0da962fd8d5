#!/bin/sh
# drain --slot keeps newcomers out of that slot only.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost drain --create --slot 1 gpu
expect_code 0 atmost run -n 2 gpu sh -c 'echo $ATMOST_SLOT'
expect_in out 2
expect_code 75 atmost run -n 1 gpu true
expect_in err "busy: gpu: 1 of 1 slots held or drained"
expect_code 0 atmost list gpu
expect_line 2 out
expect_in out "gpu	1	drained"
expect_code 0 atmost resume --slot 1 gpu
expect_code 0 atmost run -n 1 gpu sh -c 'echo $ATMOST_SLOT'
expect_in out 1
