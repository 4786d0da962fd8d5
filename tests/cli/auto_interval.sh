#!/bin/sh
# --if-elapsed auto: the interval is learned from the lock's own schedule, and a caller that keeps
# asking has to wait longer.
. "$(dirname "$0")/lib.sh"

ask() { atmost run --now "$1" --if-elapsed auto job true; }
interval() { atmost tune --json job | sed 's/.*"if_elapsed_s":\([0-9.]*\).*/\1/'; }
usual() { atmost tune --json job | sed 's/.*"usual_interval_s":\([0-9.]*\).*/\1/'; }

# Every hour. There is no limit before four intervals are known.
i=0
while [ $i -lt 8 ]; do
  expect_code 0 ask $((1700000000 + i * 3600))
  i=$((i + 1))
done
last=$((1700000000 + 7 * 3600))
awk -v i="$(interval)" -v u="$(usual)" 'BEGIN { exit !(u > 3600 / 1.2 && u <= 3600 && i > u / 2.1 && i < u / 1.9) }' ||
  fail "interval $(interval), usual $(usual)"

# Spam is refused and counted. The interval grows with it, up to the usual interval only, so that
# spam does not stop the schedule.
before=$(interval)
i=1
while [ $i -le 12 ]; do
  expect_code 76 ask $((last + i * 10))
  i=$((i + 1))
done
after=$(interval)
awk -v b="$before" -v a="$after" -v u="$(usual)" 'BEGIN { exit !(a > b && a <= u) }' || fail "$before, then $after"
expect_code 0 atmost tune --json job
expect_in out '"too_soon":12,"spam":11,'
expect_code 0 ask $((last + 3600))

# The message does not name half of the usual interval where the interval is the whole one.
i=0
while [ $i -lt 8 ]; do
  expect_code 0 atmost run --now $((1700000000 + i)).$i --if-elapsed auto --auto-min 1d quick true
  i=$((i + 1))
done
expect_code 0 atmost tune --auto-min 1d quick
expect_in out '; --if-elapsed auto refuses one within '
expect_code 0 atmost tune -v --auto-min 1d quick
expect_in out ': the usual interval, which is shorter than --auto-min'
