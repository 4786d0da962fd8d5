#!/bin/sh
# hold learns under auto, and release --now gives the end of a hold: then only given times count,
# and a hold that by them lasted longer than its limit ended there.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "a lock cannot be held for another process"

hold() { atmost hold --expire-after auto --now "$1" --for-pid $$ job; }
release() { atmost release --now "$1" --for-pid $$ job; }

i=0
while [ $i -lt 8 ]; do
  at=$((1700000000 + i * 3600))
  expect_code 0 hold $at
  expect_code 0 release $((at + 100)).5
  i=$((i + 1))
done
expect_code 0 atmost tune --json job
expect_in out '"completed":8,"stopped":0,'
expect_in out '"p50_s":110.217,'
expect_in out '"usual_interval_s":3526.975,'
limit=$(sed 's/.*"max_runtime_s":\([0-9]*\).*/\1/' out)
[ "$limit" -gt 110 ] || fail "no limit: $limit"

# By the given times it lasted for a day.
at=$((at + 3600))
expect_code 0 hold $at
expect_code 0 release $((at + 86400))
expect_code 0 atmost tune --json job
expect_in out '"completed":8,"stopped":1,'
expect_code 0 atmost history --json job
expect_in out "\"ran_s\":$limit."

# Nothing is learned from a hold without a limit.
expect_code 0 atmost hold --for-pid $$ other
expect_code 0 atmost release --for-pid $$ other
expect_code 0 atmost tune --json other
expect_in out '"completed":0,'

# A learned limit ends a hold by the clock, too.
i=0
while [ $i -lt 6 ]; do
  expect_code 0 atmost hold --expire-after auto --for-pid $$ quick
  expect_code 0 atmost release --for-pid $$ quick
  i=$((i + 1))
done
expect_code 0 atmost hold --expire-after auto --auto-min 20ms --auto-max 100ms --for-pid $$ quick
wait_until '[ "$(atmost check quick)" = 0 ]'
expect_code 0 atmost tune --json quick
expect_in out '"completed":6,"stopped":1,'

expect_code 64 atmost release --store symlink: --now 5 --for-pid $$ ./link
expect_in err '--now: a symlink lock records no end'
