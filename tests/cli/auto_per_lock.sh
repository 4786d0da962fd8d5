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
expect_in out 'Asked: at most 5 of 1,000 good runs, over all locks of the directory (so far 0 of '
expect_in out "20 runs of this lock ended by themselves, a limit stopped none."
if grep -q unnoticed out; then fail "a good limit is called long"; fi

# A run that was stopped, and one like it that only took longer: until then nothing is known of the
# first.
took steady 500000
took steady 100
expect_code 0 atmost tune --auto-risk 2.5 steady
expect_in out 'Asked: at most 2.5 of 1,000'
expect_in out "21 runs of this lock ended by themselves, a limit stopped 1: of 1 it is not known yet"
took steady 500000
took steady 2000
expect_code 0 atmost tune steady
expect_in out "a limit stopped 2: 2 wrongly (83.3 of 1,000 good ones), as a later run took as long."
expect_code 0 atmost tune --json steady
expect_in out '"stopped":2,"cut_short":0,"stopped_wrongly":2,"hung":0,"unsettled":0,'
expect_code 0 atmost stats --json steady
expect_in out '"risk_asked_per_1000":5,"risk_expected_per_1000":'
expect_in out '"stopped_wrongly":2,"hung":0,'
expect_code 0 atmost report --output page.html
expect_in page.html "a limit stopped 2: 2 wrongly"

# No useful limit: some runs are hundreds of times as long.
i=0
while [ $i -lt 40 ]; do
  if [ $((i % 10)) = 7 ]; then took mixed 60000; else took mixed $((100 + i % 9)); fi
  i=$((i + 1))
done
expect_code 0 atmost tune mixed
expect_in out ' takes more than ten times as long as half of them'
