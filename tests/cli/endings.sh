#!/bin/sh
# Commands that end within milliseconds of a taker, of atmost kill, of --max-runtime or of a signal
# to their supervisor: each is reported whole, in `atmost pass`, too.
witness=$(cd "$(dirname "$0")" && pwd)/endings_witness.py
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "nobody can be taken over from"
command -v python3 >/dev/null || skip "needs python3"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"
count=300
[ -z "${ATMOST_TESTS_SLOW-}" ] || count=30
expect_code 0 python3 "$witness" "$count"
