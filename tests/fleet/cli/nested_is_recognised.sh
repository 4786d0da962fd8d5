#!/bin/sh
# A lock that is held around the command is refused at once, whatever the wait and in whatever mode
# it is held. A caller that would wait for others waits.
. "$(dirname "$0")/lib.sh"
export ATMOST_STORE="$FLEET_STORE"

inside() { # CODE OUTER-OPTIONS -- INNER-OPTIONS...: how the inner one ends, at once
  code=$1 outer= && shift
  while [ "$1" != -- ]; do outer="$outer $1" && shift; done
  shift
  # shellcheck disable=SC2086  # options, none or more
  expect_code "$code" atmost run $outer nested atmost run -w inf "$@" nested true
  [ "$code" = 0 ] || expect_in err "nested: you hold it yourself"
}

inside 75 --
inside 75 --exclusive -- --exclusive
inside 75 --exclusive -- --shared
inside 75 --exclusive -- -n 3
inside 75 --shared -- --exclusive
inside 75 -n 2 -- --exclusive
inside 75 -n 3 -- -n 3 -k 3
inside 0 --shared -- --shared
inside 0 -- -n 2
inside 75 -n 2 -k 2 -- -n 2

# Of two slots one is held around us, the other by somebody who ends.
start atmost run -n 2 nest-two sh -c 'until [ -e end ]; do sleep 0.02; done'
wait_until '[ "$(atmost check nest-two)" = 1 ]'
start atmost run -n 2 nest-two atmost run -n 2 -w inf nest-two touch inside
outer=$started
wait_until 'atmost list nest-two | grep -q waiting'
touch end
expect_end 0 "$outer"
[ -e inside ] || fail "the command did not run"

# A process that a run left behind waits for the next run as anybody does.
expect_code 0 atmost run nest-left setsid -f sh -c \
  'until [ -e next ]; do sleep 0.02; done; atmost run -w inf nest-left touch left' </dev/null
start atmost run nest-left sh -c 'until [ -e go ]; do sleep 0.02; done'
wait_until '[ "$(atmost check nest-left)" = 1 ]'
touch next
wait_until 'atmost list nest-left | grep -q waiting'
touch go
wait_until '[ -e left ]'
