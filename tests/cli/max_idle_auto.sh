#!/bin/sh
# --max-idle auto: no limit before the lock has runs; then a silence as long as a run may take.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "needs /proc"

# Without runs of its own the lock has no limit; --auto-max is one, and tune shows that.
expect_code 0 atmost run --max-idle auto fresh sh -c 'sleep 1.5; :'
expect_code 124 atmost run --max-idle auto --auto-max 1s --kill-grace 5s fresh sh -c 'sleep 60; :'
expect_in err ': idle for 1s (--max-idle auto)'

# Five short runs: the sixth hangs.
for _ in 1 2 3 4 5; do
  expect_code 0 atmost run --max-idle auto build true
done
expect_code 124 atmost run --max-idle auto --status-fd 3 --kill-grace 5s build sh -c 'sleep 60; :' 3>status
expect_line 1 err
expect_in err 'atmost: build: the command was stopped after '
expect_in err ' (--max-idle auto)'
expect_in err 'learned from 5 runs'
expect_in status '"reason":"idle"'

# A command that works on is left alone, and its activity is learned.
for _ in 1 2 3 4 5; do
  expect_code 0 atmost run busy true
done
expect_code 0 atmost run --max-idle auto busy sh -c '
  end=$(($(date +%s) + 4))
  while [ "$(date +%s)" -lt $end ]; do :; done'
expect_code 0 atmost stats busy
expect_in out '6'

# A beat counts for takers before there is a limit.
start atmost run --max-idle auto tape sh -c 'atmost beat --eta 1h && echo >up; exec sleep 60'
wait_until '[ -e up ]'
expect_code 75 atmost run -w 1500ms --expire-idle 500ms tape true

# A taker that learned how long a run takes; one without known runs stops nobody.
start atmost run --no-learn quiet sleep 60
wait_until '[ "$(atmost check quiet)" = 1 ]'
expect_code 75 atmost run -w 2500ms --expire-idle auto quiet true
expect_code 0 atmost run -w 60 --expire-idle auto --auto-max 1s --kill-grace 100ms quiet echo mine
expect_in out mine
expect_in err ', idle for longer than --expire-idle'

expect_code 64 atmost run --expire-idle auto build true
expect_in err 'only a caller that waits watches the holder'
expect_code 64 atmost run --exec --max-idle auto build true
expect_in err 'atmost: --max-idle: nobody stays'

# Nothing is learned from a run that was stopped after a given silence; a learned silence that was
# reached counts.
expect_code 0 atmost run stated true
expect_code 124 atmost run --max-idle 500ms --kill-grace 5s stated sleep 60
expect_code 0 atmost tune --json stated
expect_in out '"stopped":0'
expect_in out '"cut_short":1'
expect_code 0 atmost tune --json build
expect_in out '"stopped":1'
