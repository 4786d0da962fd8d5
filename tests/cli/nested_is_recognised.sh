#!/bin/sh
# A lock that is held around the command is refused at once, whatever the wait.
. "$(dirname "$0")/lib.sh"

expect_code 75 atmost run build atmost run -w inf build true
expect_in err "atmost: busy: build: you hold it yourself"
expect_code 0 atmost run build atmost run other true

# The same holds for a mode that leaves no room beside it.
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

# ATMOST_HELD is only a hint to look: the answer is the same without it, or with another one.
[ -z "${ATMOST_PORTABLE-}" ] || exit 0
yourself() {
  expect_code 75 timeout -s KILL 20 "$@"
  expect_in err "you hold it yourself"
}
yourself atmost run build env -u ATMOST_HELD atmost run -w inf build true
yourself atmost run build env ATMOST_HELD=/nowhere.lock atmost run -w inf build true
yourself atmost run -n 2 build env -u ATMOST_HELD atmost run -n 2 build env -u ATMOST_HELD \
  atmost run -n 2 -w inf build true
yourself atmost run build env -u ATMOST_HELD atmost wait -n 1 -w inf build
# A record that was wiped changes nothing, either, also if the command has no descriptor.
wipe='dd if=/dev/zero of="$ATMOST_LOCKFILE" bs=256 seek=17 count=1 conv=notrunc 2>dd.err'
yourself atmost run build env -u ATMOST_HELD sh -c "$wipe; atmost run -w inf build true"
yourself atmost run --close build env -u ATMOST_HELD sh -c "$wipe; atmost run -w inf build true"
yourself exectimes ./old.lock 1 atmost run -w inf ./old.lock true
yourself env ATMOST_STORE=symlink: atmost run ./link env -u ATMOST_HELD atmost run -w inf ./link true
start atmost run build sleep 60
wait_until '[ "$(atmost check build)" = 1 ]'
expect_code 75 env ATMOST_HELD="$ATMOST_DIR/build.lock" atmost run build true
expect_in err "1 of 1 slots held"
expect_code 0 env ATMOST_HELD="$ATMOST_DIR/other.lock" atmost run other true
# Holds above the caller's own slots are in its way, too.
yourself atmost run -n 2 build sh -c 'kill "$1"
  until [ "$(atmost check build)" = 1 ]; do sleep 0.02; done
  exec atmost run -n 1 -w inf build true' - "$started"
expect_end 143 "$started"

# A hold for a process is a hold around those that it starts; but another script that is started
# by it may wait until it releases the lock.
yourself sh -c 'atmost hold --for-pid $$ build; atmost run -w inf build echo inner'
expect_code 0 timeout 50 sh -c 'atmost hold --for-pid $$ parent || exit
  sh -c "atmost hold -w inf --for-pid \$\$ parent" & child=$!
  until atmost list parent | grep -q waiting; do sleep 0.02; done
  atmost release --for-pid $$ parent
  wait $child'
