#!/bin/sh
# --queue-max and --on-busy=supersede in a fleet.
. "$(dirname "$0")/lib.sh"
export ATMOST_STORE="$FLEET_STORE"
atmost run -w 0 --queue-max 1 probe true 2>err || ! grep -q "this store does not" err || skip "$(cat err)"
waiting() { atmost list --json "$1" | grep -c '"state":"waiting"' || :; }

mkfifo gate
start atmost run full sh -c 'read -r line <gate'
holder=$started
wait_until '[ "$(atmost check full)" = 1 ]'
expect_code 75 atmost run -w inf --queue-max 0 full true
expect_in err "atmost: busy: full: the queue is full: 0 wait already"
# However many come at once, no more than three wait.
callers=
for i in 1 2 3 4 5 6 7 8 9; do
  start sh -c 'code=0; atmost run -q -w inf --queue-max 3 full sh -c "echo ran >>ran" || code=$?; echo "$code" >>codes'
  callers="$callers $started"
done
wait_until '[ -e codes ] && [ "$(wc -l <codes)" = 6 ]'
[ "$(waiting full)" = 3 ] || fail "$(waiting full) wait"
expect_code 75 atmost run --json -w inf --queue-max 3 full true
expect_in err '"reason":"queue_full"'
echo go >gate
expect_end 0 "$holder"
for caller in $callers; do expect_end 0 "$caller"; done
expect_line 3 ran
[ "$(grep -c '^75$' codes)" = 6 ] || fail "$(cat codes)"
expect_code 0 atmost run -w inf --queue-max 0 full true # it need not wait

start atmost run build sh -c 'read -r line <gate'
holder=$started
wait_until '[ "$(atmost check build)" = 1 ]'
start atmost run -w inf --id plain build sh -c 'echo plain >>built'
plain=$started
wait_until '[ "$(waiting build)" = 1 ]'
newest=
for i in 1 2 3; do
  before=$newest
  start atmost run --on-busy=supersede --id "change$i" build sh -c "echo change$i >>built"
  newest=$started
  wait_until "atmost list --json build | grep -q 'change$i'"
  [ -z "$before" ] || expect_end 0 "$before"
done
[ ! -e built ] || fail "a superseded command ran"
echo go >gate
expect_end 0 "$holder"
expect_end 0 "$plain"
expect_end 0 "$newest"
expect_line 2 built
expect_in built "change3"
