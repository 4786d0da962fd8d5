#!/bin/sh
# check -n answers without the right to write, as list does: on a filesystem that is mounted
# read-only, and of a file that it may only read. It creates nothing and locks nothing.
. "$(dirname "$0")/lib.sh"

answers() {  # FOLDER: with locks held 1 of 2 (busy), 0 (free), drained (drained), run a moment ago (free)
  expect_code 75 atmost check -n 1 "$1/busy"
  expect_in err "1 of 1 slots held"
  expect_code 0 atmost check -n 2 "$1/busy"
  expect_code 75 atmost check -n 2 -k 2 "$1/busy"
  expect_code 75 atmost check -n 9 "$1/drained"
  expect_in err "drained"
  expect_code 0 atmost check -n 1 "$1/free"
  expect_code 0 atmost check -n 1 "$1/none"
  [ ! -e "$1/none" ] || fail "check created a file"
  expect_code 0 atmost list "$1/busy"
}

make_locks() {  # FOLDER
  start atmost run --no-history "$1/busy" -- sleep 100
  wait_until "[ \"\$(atmost check '$1/busy')\" = 1 ]"
  expect_code 0 atmost run --no-history "$1/free" -- true
  expect_code 0 atmost drain --create "$1/drained"
}

if [ "$(id -u)" != 0 ]; then
  mkdir files
  make_locks files
  chmod a-w files files/*
  answers "$folder/files"
  exit 0
fi
if [ ! "${ATMOST_OWN_MOUNTS-}" ]; then
  unshare -m true 2>/dev/null || skip "no mount namespace can be made"
  # Once more in a mount namespace of its own, which takes its mounts with it; they lie in this
  # folder, not in its.
  mkdir mounts
  code=0
  (cd "$OLDPWD" && ATMOST_OWN_MOUNTS=$folder/mounts unshare -m sh "$0") || code=$?
  exit $code
fi

# The same files, seen through a mount that cannot be written, while somebody holds them through one
# that can.
mkdir files "$ATMOST_OWN_MOUNTS/files"
mount --bind files "$ATMOST_OWN_MOUNTS/files"
mount -o remount,ro,bind "$ATMOST_OWN_MOUNTS/files"
make_locks files
touch "$ATMOST_OWN_MOUNTS/files/x" 2>/dev/null && fail "the mount can be written"
answers "$ATMOST_OWN_MOUNTS/files"
