#!/bin/sh
# A name that was never used is reported, with the one that may have been meant; the exit codes
# stay as they are.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost run backup true
expect_code 0 atmost run copy:a true
for command in list kill resume forget history stats; do
  expect_code 0 atmost "$command" backup
  expect_line 0 err
  expect_code 0 atmost "$command" bakcup
  expect_line 1 err
  expect_in err 'atmost: bakcup: nobody has used this lock yet'
  expect_in err 'did you mean backup?'
  expect_code 0 atmost "$command" kopy:a
  expect_in err 'did you mean copy:a?'
  expect_code 0 atmost "$command" entirely-different
  expect_in err 'nobody has used this lock yet'
  if grep -q 'did you mean' err; then fail "$(cat err)"; fi
  expect_code 0 atmost "$command" ./path
  expect_in err './path: nobody has used this lock yet'
  expect_code 0 atmost "$command" -q bakcup
  expect_line 0 err
done
[ ! -e locks/bakcup.lock ] || fail "asking created it"

# A process number is not a LOCK, unless a lock has that name.
for command in list kill resume forget; do
  expect_code 0 atmost "$command" 12345
  expect_line 1 err
  expect_in err 'LOCK is a name, not a process number: atmost list shows both'
done
expect_code 0 atmost run 12345 true
expect_code 0 atmost kill 12345
expect_line 0 err

# A lock whose file is gone has its history.
rm locks/backup.lock
expect_code 0 atmost history backup
expect_line 0 err
