#!/bin/sh
# --store shared:DIR on a filesystem of this machine, and how its locks are named by paths.
. "$(dirname "$0")/lib.sh"

here=$(pwd -P)
if [ "${ATMOST_PORTABLE-}" ]; then
  expect_code 69 atmost run --store "shared:$here" lock true
  expect_in err "--store shared: needs locks of open file descriptions"
  exit 0
fi
expect_code 74 atmost run --store "shared:$here" lock touch started
expect_in err "which excludes no other machine: name a directory on NFS, or use --dir"
[ ! -e started ] || fail "the command was started"

# The leak checker of a sanitized build did not end beside the threads of this store. Its other
# checks stay.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
# As if the directory were on NFS.
export ATMOST_TESTS_SHARED_ANYWHERE=1
store=shared:$here
start atmost run -n 2 --store "$store" cad sleep 100
wait_until '[ "$(atmost check --store "$store" cad)" = 1 ]'
# The same file, by its path and by a path from here.
expect_code 0 atmost run -n 2 --store "$store" "$here/cad.lock" true
expect_code 75 atmost run -n 1 --store "$store" "$here/cad.lock" true
expect_code 75 atmost run -n 1 --store "$store" ./cad.lock true
expect_code 75 atmost run -n 1 --store "$store" --also 1@./cad.lock other true
expect_code 0 atmost list --store "$store" "$here/cad.lock"
expect_in out "sleep"

# Its locks are files, with a mode for other users.
expect_code 0 atmost run --store "$store" --mode 664 ours true
[ "$(stat -c %a ours.lock)" = 664 ] || fail "mode $(stat -c %a ours.lock)"

# Each machine has its own history; and the variable's directory is not looked at, as its server may
# not answer.
expect_code 0 env "ATMOST_DIR=$here/" atmost run --store "$store" logged true
[ ! -e history.jsonl ] || fail "the history is in the directory"

# A path that is somewhere else.
mkdir other
expect_code 64 atmost run --store "$store" other/cad.lock touch started
expect_in err "\"other/cad.lock\" is not in $here: use a name"
[ ! -e started ] || fail "the command was started"

expect_code 0 atmost kill --store "$store" ./cad.lock

# A lock file that is removed while it is held would admit others by a new one.
start atmost run --store "$store" --ttl 4s --kill-grace 200ms removed sh -c 'touch began; sleep 100'
wait_until '[ -e began ]'
rm removed.lock
expect_end 79 "$started"
rm began
start atmost run --store "$store" --ttl 4s --kill-grace 200ms renamed sh -c 'touch began; sleep 100'
wait_until '[ -e began ]'
mv renamed.lock elsewhere.lock
expect_end 79 "$started"
