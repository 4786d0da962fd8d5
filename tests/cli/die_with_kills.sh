#!/bin/sh
# --die-with: nothing outlives a caller that is killed, alone, with atmost or with its whole group.
witness=$(cd "$(dirname "$0")" && pwd)/die_with_witness.py
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "needs handles of processes"
command -v python3 >/dev/null || skip "needs python3"
expect_code 0 python3 "$witness" 30
