#!/bin/sh
# --rate among callers at random times: never K + 1 in a window, and nobody refused without reason.
witness=$(cd "$(dirname "$0")" && pwd)/rate_witness.py
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "needs python3"
expect_code 0 python3 "$witness" 800
expect_in out "never more than 20 in 0.5 s"
