#!/bin/sh
# Callers that may wait for one another for ever are shown. Nobody is refused here: the shells read
# what their waiters print, and may be woken by another process (circle.sh has those that are
# proven).
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "other processes cannot be seen in a POSIX-only build"

both_wait() {
  wait_until "[ \"\$(atmost list $* | grep -c waiting)\" = 2 ]"
}

# Two holds of one lock, each of which has a caller for the same lock below it.
for _ in 1 2; do
  start atmost run --no-history -n 2 -w inf twice sh -c '
    until [ "$(atmost check twice)" = 2 ]; do sleep 0.02; done
    words=$(atmost run --no-history -n 2 -w inf twice true)'
done
both_wait twice
expect_code 0 atmost explain twice
expect_in out "possible circle"
[ "$(grep -c 'below which process .* waits for .*/twice.lock' out)" = 2 ] || fail "not two slots"
if grep -q contradictions out; then fail "no contradictions"; fi

# A third hold may end, and let one of them go on.
start atmost run --no-history -n 3 twice sleep 60
wait_until '[ "$(atmost check twice)" = 3 ]'
expect_code 0 atmost explain twice
if grep -q "possible circle" out; then fail "a hold that waits for nobody is no circle"; fi

# Two locks in opposite order.
start atmost run --no-history left sh -c '
  until [ "$(atmost check right)" = 1 ]; do sleep 0.02; done
  words=$(atmost run --no-history -w inf right true)'
start atmost run --no-history right sh -c '
  until [ "$(atmost check left)" = 1 ]; do sleep 0.02; done
  words=$(atmost run --no-history -w inf left true)'
both_wait left right
expect_code 0 atmost explain left
expect_in out "possible circle"
expect_in out "right.lock"
expect_code 0 atmost explain right
expect_in out "possible circle"

# An ordinary queue is not a circle.
start atmost run --no-history plain sleep 60
wait_until '[ "$(atmost check plain)" = 1 ]'
start atmost run --no-history -w inf plain true
wait_until 'atmost list plain | grep -q waiting'
expect_code 0 atmost explain plain
if grep -q "possible circle" out; then fail "a queue is no circle"; fi
expect_in out "contradictions"
