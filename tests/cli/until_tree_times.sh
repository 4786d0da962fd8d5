#!/bin/sh
# With --until=tree a run lasts as long as its tree: in messages and in the history.
. "$(dirname "$0")/lib.sh"
[ "${ATMOST_PORTABLE-}" ] && skip "with POSIX alone a tree cannot be seen"

expect_code 124 atmost run --until=tree --max-runtime 300ms --kill-grace 100ms job -- sh -c 'sleep 50 & exit 0'
grep -qE 'stopped after [3-9][0-9]*ms|stopped after [1-9][0-9]*s' err || fail "not the time that the tree took: $(cat err)"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-history" ] || exit 0
expect_code 0 atmost history --event ended --json job
grep -qE '"ran_s":(0\.[3-9]|[1-9])' out || fail "not the time that the tree took: $(cat out)"
