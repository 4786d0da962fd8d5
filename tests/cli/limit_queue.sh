#!/bin/sh
# Callers at the limit of record wait in one queue, whatever its number: a change keeps their order.
# So do the first limit of a lock and its end, although the queues change.
. "$(dirname "$0")/lib.sh"

waiter() {  # NUMBER WAITING OPTION...
  number=$1
  waiting=$2
  shift 2
  start atmost run -w inf "$@" build sh -c "echo $number >>order; sleep 0.05"
  wait_until "[ \$(atmost list build | grep -c waiting) = $waiting ]"
}
served() {  # ORDER
  kill "$holder"
  wait_until "[ \$(cat order 2>/dev/null | wc -l) = ${#1} ]"
  [ "$(tr -d '\n' <order)" = "$1" ] || fail "order: $(tr '\n' ' ' <order)"
  rm order
  wait_until '[ "$(atmost check build)" = 0 ]'
}
hold() {
  start atmost run build sleep 60
  holder=$started
  wait_until '[ "$(atmost check build)" = 1 ]'
}

# From one number to another, and back.
expect_code 0 atmost limit build 1
hold
waiter 1 1
waiter 2 2 -n 7
expect_code 0 atmost drain build
expect_code 0 atmost limit build 3
waiter 3 3
expect_code 0 atmost limit build 1
waiter 4 4 -n 3
expect_code 0 atmost resume build
served 1234

# A first limit: those who wait already go before later callers.
expect_code 0 atmost limit --clear build
hold
for i in 1 2 3 4 5 6; do waiter $i $i; done
expect_code 0 atmost limit build 1
waiter 7 7
waiter 8 8 -n 5
served 12345678

# And its end.
hold
waiter 1 1
waiter 2 2 -n 1
waiter 3 3
expect_code 0 atmost limit --clear build
waiter 4 4
served 1234
