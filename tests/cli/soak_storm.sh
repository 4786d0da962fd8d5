#!/bin/sh
# The same with 20,000 starts.
witness=$(cd "$(dirname "$0")" && pwd)/storm_witness.py
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "nobody can be taken over from"
command -v python3 >/dev/null || skip "needs python3"
command -v perl >/dev/null || skip "needs perl"
expect_code 0 python3 "$witness" 20000
cat out
