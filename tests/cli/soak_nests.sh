#!/bin/sh
# The same with 1,000 nests.
witness=$(cd "$(dirname "$0")" && pwd)/nests_witness.py
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "other processes cannot be seen in a POSIX-only build"
command -v python3 >/dev/null || skip "needs python3"
expect_code 0 python3 "$witness" 1000
cat out
