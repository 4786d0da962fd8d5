#!/bin/sh
# tune, stats and report show the accepted risk of a lock and its record, and the reason if a
# limit is useless.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "a lock cannot be held for another process"

at=1700000000
took() { # LOCK SECONDS; stopped at the learned limit
  at=$((at + 1000000))
  expect_code 0 atmost hold --expire-after auto --now $at --for-pid $$ "$1"
  expect_code 0 atmost release --now $((at + $2)) --for-pid $$ "$1"
}

i=0
while [ $i -lt 20 ]; do
  took steady $((100 + i % 9))
  i=$((i + 1))
done
expect_code 0 atmost tune steady
expect_in out 'steady: 20 runs: half took up to '
expect_in out 'Asked: at most 5 of 1,000 good runs of the directory'
expect_in out ". Of this lock's 20, none was stopped."
if grep -q unnoticed out; then fail "a good limit is called long"; fi

# A run that hung, and one that only took longer.
took steady 500000
took steady 100
expect_code 0 atmost tune --auto-risk 2.5 steady
expect_in out 'Asked: at most 2.5 of 1,000'
expect_in out "lock's 21, none was stopped wrongly; 1 more was stopped, and the next run was no longer."
took steady 500000
took steady 2000
expect_code 0 atmost tune steady
expect_in out "lock's 23, 1 was stopped wrongly (43.5 of 1,000), as the next run took longer; 1 more was"
expect_code 0 atmost tune --json steady
expect_in out '"stopped":2,"cut_short":0,"stopped_wrongly":1,"hung":1,'
expect_code 0 atmost stats --json steady
expect_in out '"risk_asked_per_1000":5,"risk_expected_per_1000":'
expect_in out '"stopped_wrongly":1,"hung":1,'
expect_code 0 atmost report --output page.html
expect_in page.html "Of this lock's 23, 1 was stopped wrongly"

# No useful limit: some runs are hundreds of times as long.
i=0
while [ $i -lt 40 ]; do
  if [ $((i % 10)) = 7 ]; then took mixed 60000; else took mixed $((100 + i % 9)); fi
  i=$((i + 1))
done
expect_code 0 atmost tune mixed
expect_in out ' takes more than ten times as long as half of them'
