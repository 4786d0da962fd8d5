#!/bin/sh
# The same with 2,000 callers, on one machine and on three, and with a bound for how late they are.
line=$(cd "$(dirname "$0")" && pwd)/rate_line.py
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "needs python3"
export ATMOST_STORE="$FLEET_STORE"
atmost check --rate 1/1s probe >/dev/null 2>err || ! grep -q "this store does not" err || skip "$(cat err)"
expect_code 0 python3 "$line" 2000 10 1 0.05
cat out
unshare --uts -T --boottime 1 true 2>/dev/null || exit 0
export HOSTS=3
expect_code 0 python3 "$line" 500 10 1
cat out
