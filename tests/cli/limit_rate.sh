#!/bin/sh
# Rates of the limit of record: all of them hold for every caller, beside its own.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost limit build --rate 2/1h --rate 3/1d
expect_code 0 atmost limit build
expect_in out "build: inf, 2/1h, 3/1d"
expect_code 0 atmost run -n 5 build true
expect_code 0 atmost run build true
expect_code 76 atmost run build true
expect_in err "too soon: build: 2 runs started within the last 1h: come back in "
expect_code 76 atmost run --rate 9/1s build true
expect_in err "2 runs started within the last 1h"
expect_code 76 atmost run --rate 1/2h build true
expect_in err "1 run started within the last 2h"

# N stays as it is when the rates change, and the rates when N does.
expect_code 0 atmost limit build 4
expect_code 0 atmost limit build
expect_in out "build: 4, 2/1h, 3/1d"
expect_code 0 atmost limit --clear build 4
expect_code 0 atmost run build true

# Callers that wait for the rate are served first come, first served.
expect_code 0 atmost limit fast --rate 1/1s
expect_code 0 atmost run fast true
start atmost run --on-too-soon=wait fast sh -c 'echo 1 >>order'
wait_until 'atmost list fast | grep -q waiting'
start atmost run --on-too-soon=wait -w 20 fast sh -c 'echo 2 >>order'
wait_until '[ "$(cat order 2>/dev/null | wc -l)" = 2 ]'
[ "$(tr -d "\n" <order)" = 12 ] || fail "order: $(cat order)"
