#!/bin/sh
# --expire-after below --if-elapsed warns.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost run --expire-after 1m --if-elapsed 1h daily true
expect_in err "atmost: warning: --expire-after is shorter than --if-elapsed"
expect_line 1 err
