#!/bin/sh
# --die-with: nothing outlives a caller that is killed, alone, with atmost or with its whole group.
witness=$(cd "$(dirname "$0")" && pwd)/die_with_witness.py
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "needs handles of processes"
command -v python3 >/dev/null || skip "needs python3"
# The leak checker of a sanitized build stops its own process, and does not end if that is
# continued, as a monitor continues the processes that it kills.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
expect_code 0 python3 "$witness" 30
