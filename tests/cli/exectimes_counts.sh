#!/bin/sh
# A refusal of exectimes counts all holders, with any limit of their own; atmost shows the number
# that exceeds this caller's limit.
. "$(dirname "$0")/lib.sh"

refuses() {  # COUNT FILE MAX
  expect_code 1 exectimes "$2" "$3" true
  [ "$(cat err)" = "Cannot start, $1 instances already running" ] || fail "MAX $3: $(cat err)"
}

for _ in 1 2 3 4 5; do
  start exectimes ./file 9 sleep 60
done
wait_until '[ "$(exectimes file check)" = "5 instances running" ]'
refuses 5 ./file 2
refuses 5 ./file 5
refuses 5 ./file 0
expect_code 75 atmost run --no-history -n 2 ./file true
expect_in err "busy: ./file: 5 slots held (by "
expect_in err ", ...), 2 allowed"
expect_code 75 atmost run --no-history -n 5 ./file true
expect_in err "busy: ./file: 5 of 5 slots held (by "

# Slots that are free but not low: what is held above the limit counts too.
start exectimes ./gap 9 sleep 60
low=$started
wait_until '[ "$(exectimes gap check)" = "1 instances running" ]'
for i in 2 3; do
  start exectimes ./gap 9 sleep 60
  wait_until "[ \"\$(exectimes gap check)\" = \"$i instances running\" ]"
done
kill "$low"
expect_end 143 "$low"
refuses 2 ./gap 2
expect_code 75 atmost run --no-history -n 2 ./gap true
expect_in err "busy: ./gap: 2 of 2 slots held (by "

# Beside an exclusive holder of atmost's, which has one slot and keeps all others closed.
start atmost run --no-history --exclusive ./alone sleep 60
wait_until '[ "$(exectimes alone check)" = "1 instances running" ]'
refuses 1 ./alone 5
expect_code 75 atmost run --no-history -n 5 ./alone true
expect_in err "busy: ./alone: held exclusively (by "
expect_code 75 atmost run --no-history --exclusive ./file true
expect_in err "busy: ./file: 5 slots held (by "
expect_in err "and --exclusive needs all of them free"

# The free slot is owed to a waiter.
start atmost run --no-history -n 2 ./owed sleep 60
wait_until '[ "$(exectimes owed check)" = "1 instances running" ]'
start atmost run --no-history -n 2 -k 2 -w inf ./owed true
wait_until 'atmost list --json ./owed | grep -q "\"state\":\"waiting\""'
refuses 1 ./owed 2
