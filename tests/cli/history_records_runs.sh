#!/bin/sh
# The events of a lock stand in history.jsonl beside it: admissions, ends and refusals.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost run job -- true
expect_code 3 atmost run --id nightly job -- sh -c 'exit 3'
expect_code 127 atmost run job -- ./no-such-command
expect_code 75 atmost run -n 0 job -- true
expect_code 0 atmost history --json job
expect_line 7 out
expect_in out '"event":"admitted"'
expect_in out '"exit":3,'
expect_in out '"id":"nightly"'
expect_in out '"exit":127,"started":false'
expect_in out '"event":"denied"'
expect_in out '"why":"zero"'
expect_in out "\"path\":\"$ATMOST_DIR/job.lock\""
[ "$(stat -c %a locks/history.jsonl)" = 600 ] || fail "the history is not private"

atmost run job -- sh -c 'kill -KILL $$' 2>/dev/null || :
expect_code 0 atmost history -n 1 job
expect_in out "signal KILL after"

# A pipe gets columns with tabs, a wrong lock nothing.
expect_code 0 atmost history --event ended --outcome failure job
expect_line 3 out
expect_code 0 atmost history other
expect_line 0 out
