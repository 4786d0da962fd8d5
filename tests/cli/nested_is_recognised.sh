#!/bin/sh
# A lock that is held around the command is refused at once, whatever the wait.
. "$(dirname "$0")/lib.sh"

expect_code 75 atmost run build atmost run -w inf build true
expect_in err "atmost: busy: build: you hold it yourself"
expect_code 0 atmost run build atmost run other true
