#!/bin/sh
# A lock that is held around the command is refused at once, whatever the wait.
. "$(dirname "$0")/lib.sh"

expect_code 75 atmost run build atmost run -w inf build true
expect_in err "atmost: busy: build: you hold it yourself"
expect_code 0 atmost run build atmost run other true

# Neither does a mode that leaves no room beside it.
inside() { # OUTER-OPTION INNER-OPTION...
  outer=$1 && shift
  expect_code 75 atmost run "$outer" build atmost run -w inf "$@" build true
  expect_in err "atmost: busy: build: you hold it yourself"
}
inside --exclusive --exclusive
inside --exclusive --shared
inside --exclusive -n 3
inside --shared --exclusive
inside -n2 --exclusive
expect_code 0 atmost run --shared build atmost run --shared build true
expect_code 0 atmost run build atmost run -n 2 build true
