#!/bin/sh
# --env: the command finds the slot, the slots, their indices, the token and the lock under names of
# the caller's choice, which replace variables that were there.
. "$(dirname "$0")/lib.sh"

GPUS=old
SEAT=old
export GPUS SEAT
expect_code 0 atmost run -n 4 -k 2 --env GPUS=indices --env ALL=slots --env SEAT=slot \
  --env T=token --env=L=lock build env
expect_in out "GPUS=0,1"
expect_in out "ALL=1,2"
expect_in out "SEAT=1"
expect_in out "L=build"
[ "$(grep -c '^GPUS=' out)" = 1 ] || fail "GPUS is there twice"
[ "$(sed -n 's/^T=//p' out)" = "$(sed -n 's/^ATMOST_TOKEN=//p' out)" ] || fail "another token"
expect_in out "ATMOST_HELD=$ATMOST_DIR/build.lock"

# The last one of a name counts; --exec sets them, too.
expect_code 0 atmost run --exec --env A=slot --env A=lock build env
expect_in out "A=build"

refused() {
  expect_code 64 atmost run --env "$1" build true
  expect_in err "--env: $2"
}
refused GPUS '"GPUS" is not NAME=WHAT'
refused GPUS=indexes '"indexes" is none of slot, slots, indices, token, lock, name, names; did you mean indices?'
refused '=slot' '"" is not a variable'
refused 1A=slot '"1A" is not a variable'
refused 'A B=slot' '"A B" is not a variable'
refused ATMOST_HELD=slot '"ATMOST_HELD" belongs to atmost'
expect_code 64 atmost run --env A=slot --env B=slot --env C=slot --env D=slot --env E=slot \
  --env F=slot --env G=slot --env H=slot --env I=slot build true
expect_in err "too many variables: use at most 8"
