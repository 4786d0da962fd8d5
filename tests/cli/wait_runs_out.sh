#!/bin/sh
# A wait that runs out is busy, and says how long it was.
. "$(dirname "$0")/lib.sh"

start atmost run build sleep 60
wait_until '[ "$(atmost check build)" = 1 ]'
expect_code 75 atmost run -w 150ms build true
expect_in err "; waited 1"
expect_line 1 err
