#!/bin/sh
# A lock directory that was copied or moved with its history has each lock once, as what was logged
# before and what is there now belong together.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-jobs" ] || skip "built without the back tier"

expect_code 0 atmost run named true
expect_code 0 atmost run run:atom true
expect_code 0 atmost run ./by-path.lock true
cp -R locks copy
expect_code 3 atmost run --dir copy named -- sh -c 'exit 3'
for command in jobs stats; do
  expect_code 0 atmost $command --dir copy
  [ "$(tail -n +2 out | cut -f 1 | sort | tr '\n' ' ')" = './by-path.lock named run:atom ' ] || fail "$(cat out)"
done
[ "$(grep '^named' out | cut -f 2,3)" = '2	1' ] || fail "$(cat out)"
expect_code 0 atmost stats --dir copy --json named
expect_in out "\"path\":\"$folder/copy/named.lock\""

# A run whose log is elsewhere has its lock where it was.
mkdir other
expect_code 0 atmost run --dir other --log "$folder/locks/history.jsonl" away true
expect_code 0 atmost stats --json away
expect_in out "\"path\":\"$folder/other/away.lock\""
