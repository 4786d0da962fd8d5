#!/bin/sh
# With --exec no process stays to see how long a run takes. Nothing is learned from such runs,
# rather than a guess, and --expire-after auto goes by other runs of the lock. The next look at
# the lock comes a period of its schedule later, not when the run ends
# (docs/internals/measurements.md has the share of runs that the looks of others would bracket).
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "a holder cannot be proven, so none is stopped"

i=0
while [ $i -lt 8 ]; do
  expect_code 0 atmost run --exec --expire-after auto job true
  i=$((i + 1))
done
expect_code 0 atmost tune --json job
expect_in out '"completed":0,'
expect_in out '"limit_s":null,'

i=0
while [ $i -lt 5 ]; do
  expect_code 0 atmost run job true
  i=$((i + 1))
done
start atmost run --exec --expire-after auto job sleep 300
wait_until 'atmost list job | grep -q sleep'
wait_until 'atmost run --exec --expire-after auto --auto-min 1ms --auto-max 90ms job true 2>err'
expect_in err ' (--expire-after auto, learned from 5 runs, nearly all up to '

# The run that was stopped would have taken longer; nothing is learned from the one that stopped
# it.
expect_code 0 atmost tune --json job
expect_in out '"completed":5,'
expect_in out '"stopped":1,'
