#!/bin/sh
# drain admits nobody until resume; holders stay.
. "$(dirname "$0")/lib.sh"

start atmost run -n 4 gpu sleep 60
wait_until '[ "$(atmost check gpu)" = 1 ]'
expect_code 0 atmost drain --create gpu
expect_line 0 out
expect_line 0 err
expect_code 75 atmost run -n 4 gpu true
expect_in err "atmost: busy: gpu: drained: nobody is admitted until atmost resume"
expect_code 0 atmost list gpu
expect_in out "gpu	-	drained"
expect_in out "gpu	1	held"
expect_code 0 atmost resume gpu
expect_code 0 atmost run -n 4 gpu true
