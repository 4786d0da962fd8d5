#!/bin/sh
# Callers with random options, whose processes are killed at random: none runs beside another one,
# none ends by a fault, and each end is in the history.
witness=$(cd "$(dirname "$0")" && pwd)/storm_witness.py
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "nobody can be taken over from"
command -v python3 >/dev/null || skip "needs python3"
command -v perl >/dev/null || skip "needs perl"
count=300
[ -z "${ATMOST_TESTS_SLOW-}" ] || count=30
expect_code 0 python3 "$witness" "$count"
