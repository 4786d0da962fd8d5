#!/bin/sh
# Limits are learned from runs on any host: the store keeps what was learned, of runs with auto.
. "$(dirname "$0")/lib.sh"
export ATMOST_STORE="$FLEET_STORE"

expect_code 0 atmost tune --json job
expect_in out '"completed":0,'
i=0
while [ $i -lt 6 ]; do
  expect_code 0 atmost run --max-runtime auto job true
  i=$((i + 1))
done
expect_code 0 atmost run job true
expect_code 0 atmost run --max-runtime auto --no-learn job true
expect_code 0 atmost tune --json job
expect_in out '"completed":6,"stopped":0,'
expect_in out '"experience":1,'

expect_code 124 atmost run --max-runtime auto --auto-min 100ms --auto-max 300ms --kill-grace 1s job sleep 30
expect_in err 'as --max-runtime auto says'
expect_code 0 atmost tune --json job
expect_in out '"completed":6,"stopped":1,'

expect_code 0 atmost forget job
expect_code 0 atmost tune --json job
expect_in out '"completed":0,'
expect_in out '"experience":1,'
