#!/bin/sh
# --alert-after delays reports of failures, and never changes a code: every Nth failure in a row
# is reported and shows its kept output, and so is a success after that.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "POSIX alone cannot free the middle of a file"

job() {
  atmost run --alert-after 3 --output=on-failure \
    --notify 'echo "$ATMOST_EVENT" >>events; : >told' job -- sh -c "echo run $1; exit $2"
}
for run in 1 2 3 4 5 6 7; do
  expect_code 9 job $run 9
  case $run in
    3 | 6)
      expect_in out "run $run"
      wait_until '[ -e told ]'
      rm told
      ;;
    *) expect_line 0 out ;;
  esac
  expect_line 0 err
done
expect_code 0 job 8 0
wait_until '[ -e told ]'
rm told
expect_line 0 out
# Two failures are not reported yet, nor is the success after them.
expect_code 9 job 9 9
expect_code 9 job 10 9
expect_code 0 job 11 0
for run in 12 13 14; do expect_code 9 job $run 9; done
expect_in out 'run 14'
wait_until '[ -e told ]'
[ "$(tr '\n' ' ' <events)" = 'failure failure recovered failure ' ] || fail "$(cat events)"
# Refusals are counted by themselves, and a failure ends no row of theirs.
start atmost run job sleep 600
wait_until '[ "$(atmost check job)" = 1 ]'
expect_code 0 job 15 0
expect_code 0 job 16 0
expect_code 75 job 17 0
