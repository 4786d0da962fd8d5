#!/bin/sh
# The same 10,000 times.
witness=$(cd "$(dirname "$0")" && pwd)/endings_witness.py
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "nobody can be taken over from"
command -v python3 >/dev/null || skip "needs python3"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"
expect_code 0 python3 "$witness" 10000
cat out
