#!/bin/sh
# The same with 1,000 kills: three graces of 100 ms and 200 ms more.
witness=$(cd "$(dirname "$0")" && pwd)/die_with_witness.py
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "needs python3"
expect_code 0 python3 "$witness" 1000 500
cat out
