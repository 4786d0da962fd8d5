#!/bin/sh
# A last admission in the future (a clock that was set back) is explained, once, and the interval
# ends.
. "$(dirname "$0")/lib.sh"

now=$(date +%s)
expect_code 0 atmost run --now $((now + 31536000)) ./lock true
expect_code 76 atmost run --if-elapsed 1h ./lock true
expect_in err 'its time lies in the future: has a clock been set back?'
expect_in err 'come back in 1h'
# From here on the interval counts from that moment.
expect_code 76 atmost run --if-elapsed 1h ./lock true
if grep -q future err; then fail "told twice: $(cat err)"; fi
expect_code 0 atmost run --if-elapsed 1h --now $((now + 3700)) ./lock true
# A given moment before the last one is explained, too, and changes nothing.
expect_code 76 atmost run --if-elapsed 1h --now "$now" ./lock true
expect_in err 'future'
expect_code 76 atmost run --if-elapsed inf --now "$now" ./lock true
expect_in err 'already'
