#!/bin/sh
# Random nests of callers: none hangs, and only callers in a circle are refused as such.
witness=$(cd "$(dirname "$0")" && pwd)/nests_witness.py
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "other processes cannot be seen in a POSIX-only build"
command -v python3 >/dev/null || skip "needs python3"
expect_code 0 python3 "$witness" 100
