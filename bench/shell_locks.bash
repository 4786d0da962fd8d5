#!/usr/bin/env bash
# Lock and unlock from bash, each way in turn: shell_locks.bash ROUNDS. Prints "KIND MICROSECONDS"
# for each. Environment: LOCK_UNLOCK the function's file, ATMOST the program, HELPERS the folder of
# bench_true and bench_hold_floor. The lock files are made in the working directory.
set -eu
# shellcheck disable=SC1090  # named by the caller
. "$LOCK_UNLOCK"

flock_9() {
  exec 9>flock.lock
  flock 9
  exec 9>&-
}
again() {
  lock_unlock action=lock name="$PWD/again.lock"
  lock_unlock action=unlock name="$PWD/again.lock"
}
first() {
  lock_unlock action=lock name="$PWD/first.lock"
  lock_unlock action=unlock name="$PWD/first.lock"
}
floor() {
  {
    read -r answer
    "$HELPERS/bench_hold_floor" $$ floor.lock
    read -r keeper ask reply
  } <<END
-
END
  # shellcheck disable=SC2034  # only that it came
  { echo >"/proc/$keeper/fd/$ask" && read -r answer; } <"/proc/$keeper/fd/$reply"
}
lockfile_rm() {
  lockfile lockfile.lock
  rm -f lockfile.lock
}
dotlockfile_l_u() {
  dotlockfile -l dotlockfile.lock
  dotlockfile -u dotlockfile.lock
}
lckdo_true() { lckdo lckdo.lock "$HELPERS/bench_true"; }
start() { "$HELPERS/bench_true"; }

kinds='flock_9 again first floor start'
! command -v lockfile >/dev/null || kinds="$kinds lockfile_rm"
! command -v dotlockfile >/dev/null || kinds="$kinds dotlockfile_l_u"
! command -v lckdo >/dev/null || kinds="$kinds lckdo_true"

# The keeper that `again` asks is found again in every round; `first` never finds one.
kept=
for ((round = -2; round < $1; ++round)); do
  for kind in $kinds; do
    lock_unlock_keeper=
    case $kind in again) lock_unlock_keeper=$kept ;; esac
    begin=${EPOCHREALTIME/[.,]/}
    $kind
    end=${EPOCHREALTIME/[.,]/}
    case $kind in
      again) kept=$lock_unlock_keeper ;;
      first) # idle, and not to be found again
        keeper=${lock_unlock_keeper%%>*}
        kill "${keeper#* }"
        ;;
    esac
    ((round < 0)) || printf '%s %s\n' "$kind" $((end - begin))
  done
done
