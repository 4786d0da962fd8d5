#!/bin/sh
# --die-with on a terminal: ^Z stops the whole job, fg continues it, ^C reaches the command once.
driver=$(cd "$(dirname "$0")" && pwd)/die_with_terminal.py
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "needs handles of processes"
command -v python3 >/dev/null || skip "needs python3"
expect_code 0 timeout 50 python3 "$driver" $$
expect_in out 'stopped'
expect_in out "ended with the command's code"
