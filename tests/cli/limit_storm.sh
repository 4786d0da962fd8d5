#!/bin/sh
# 200 callers with wrong limits, removed variables and forged marks, some of which try to change the
# limit of record: never more than its N run at once. Again as one user, against root's record.
witness=$(cd "$(dirname "$0")" && pwd)/limit_witness.py
. "$(dirname "$0")/lib.sh"
chmod 755 "$folder"
command -v python3 >/dev/null || skip "needs python3"
count=200
[ -z "${ATMOST_TESTS_SLOW-}" ] || count=30
expect_code 0 python3 "$witness" "$count"
