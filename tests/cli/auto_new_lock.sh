#!/bin/sh
# A lock has the longest limit, and no learned one, before it has five completed runs of its own,
# with any runs of other locks in its directory. The message of a run that is stopped then names the
# source of the limit.
. "$(dirname "$0")/lib.sh"

for lock in one two; do
  i=0
  while [ $i -lt 12 ]; do
    atmost run $lock true
    i=$((i + 1))
  done
done

# A run that is longer than the others' limit, by a second at least.
expect_code 0 atmost run --max-runtime auto backup -- sleep 1.5
expect_code 0 atmost tune --json --auto-min 1ms backup
expect_in out '"completed":1,'
expect_in out '"limit_s":null,'
expect_in out '"expire_after_s":604800,"max_runtime_s":604800,'
expect_code 0 atmost tune backup
expect_in out 'backup: 1 run, none longer than '
expect_in out 'auto stops a run that takes longer than 7d, as --auto-max says, until 5 have completed.'
expect_code 0 atmost tune --auto-max 1h backup
expect_in out 'auto stops a run that takes longer than 1h, as --auto-max says, until 5 have completed.'
expect_code 0 atmost tune never
expect_in out 'never: no runs yet. auto stops one that takes longer than 7d, as --auto-max says.'
expect_code 0 atmost tune -v backup
expect_in out 'none of its own: 5 completed runs are needed, it has 1'

# --auto-max limits runs of new locks as well, and the message names it.
expect_code 124 atmost run --max-runtime auto --auto-min 1ms --auto-max 100ms new sleep 30
expect_in err 'as --auto-max says, with too few runs to learn from: 0 of 5'

# The fifth run completed: from now on there is a limit, and tune shows it.
i=1
while [ $i -lt 5 ]; do
  expect_code 0 atmost run --max-runtime auto backup true
  i=$((i + 1))
done
expect_code 124 atmost run --max-runtime auto --auto-min 50ms --auto-max 90ms backup sleep 30
expect_in err 'as --max-runtime auto says, '
expect_in err 'learned from 5 runs, nearly all up to '
expect_in err 'see: atmost tune backup'
