#!/bin/sh
# --if-elapsed refuses with 76 and the time to come back; forget forgets.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost run --if-elapsed 1h daily true
expect_code 76 atmost run --if-elapsed 1h daily true
expect_line 1 err
expect_in err "atmost: too soon: daily: the last run started less than 1h ago: come back in "
expect_code 76 atmost run --json --if-elapsed 1h daily true
expect_in err '{"kind":"too_soon","code":76,"lock":"daily",'
expect_code 0 atmost run --if-elapsed 1h --on-too-soon=skip daily sh -c 'echo ran'
expect_line 0 out
expect_code 76 atmost run --if-elapsed inf daily true
expect_code 0 atmost forget daily
expect_code 0 atmost run --if-elapsed 1h daily true
