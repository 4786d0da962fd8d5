#!/bin/sh
# --output, --notify and --ping in a fleet: a successful run causes no message, and the store
# counts failures, so that a recovery is reported.
. "$(dirname "$0")/lib.sh"

fleet() { atmost run --store "$FLEET_STORE" --log history "$@"; }
name=telling-$$
for run in 1 2; do
  expect_code 3 fleet --output=on-failure --notify 'cat >event; : >told' "$name" sh -c "echo run $run; exit 3"
  expect_in out "run $run"
  wait_until '[ -e told ]'
  expect_in event '"notify":"failure"'
  rm told
done
expect_code 0 fleet --notify 'cat >event; : >told' "$name" true
wait_until '[ -e told ]'
expect_in event '"notify":"recovered"'
expect_code 0 fleet --notify ': >told.again' "$name" true
expect_code 0 fleet --ping http://127.0.0.1:1/secret "$name" true
wait_until '[ "$(grep -c "\"event\":\"undelivered\".*\"to\":\"ping\"" history)" = 2 ]'
[ ! -e told.again ] || fail "a success was told"
! grep secret history || fail "the history has the URL"
