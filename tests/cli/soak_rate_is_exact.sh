#!/bin/sh
# The same with 20,000 callers; and how late those that wait are.
witness=$(cd "$(dirname "$0")" && pwd)/rate_witness.py
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "needs python3"
expect_code 0 python3 "$witness" 20000
cat out
expect_code 0 python3 "$witness" --wait 300
cat out
