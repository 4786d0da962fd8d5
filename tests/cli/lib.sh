#!/bin/sh
# For the scripts in this folder, which begin with:  . "$(dirname "$0")/lib.sh"
#
# One script, one behaviour that a user can see. A script runs in a new folder of its own, which is
# removed afterwards, finds `atmost` and `exectimes` first in PATH, and fails with the first command
# that fails. By hand:
#   ATMOST_BIN=build/bin sh tests/cli/SCRIPT.sh
#
#   fail WORDS...                       ends the script as failed
#   skip WORDS...
#       ends it as not applicable here (POSIX-only build, not root, no /dev/full ...)
#   expect_code CODE COMMAND...
#       runs it; its output is in the files out and err; fails on another exit code
#   expect_in FILE WORDS                FILE (out, err ...) holds these very WORDS
#   expect_line COUNT FILE              FILE has COUNT lines
#   wait_until 'CONDITION' [SECONDS]
#       polls until the shell CONDITION holds; fails after SECONDS (20)
#   start COMMAND...
#       runs it in the background; its pid is in $started; it is killed when we end
#   expect_end CODE PID                 waits for a started process, which must end with CODE
set -eu

script=$(basename "$0" .sh)
ATMOST_BIN=$(cd "${ATMOST_BIN:-$(dirname "$0")/../../build/bin}" && pwd)
PATH=$ATMOST_BIN:$PATH
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-$script.XXXXXX")
cd "$folder"
# Named locks, logs and state lie in the folder; the user's environment has no effect.
ATMOST_DIR=$folder/locks
XDG_STATE_HOME=$folder/state
HOME=$folder
LC_ALL=C
export PATH ATMOST_BIN ATMOST_DIR XDG_STATE_HOME HOME LC_ALL
unset ATMOST_STORE ATMOST_HELD ATMOST_LOCK ATMOST_LOCKFILE ATMOST_SLOT ATMOST_SLOTS ATMOST_INDICES ATMOST_TOKEN ATMOST_WAITED_MS
mkdir locks

started=
started_all=

# Only our own children that nobody has waited for: until then their pids cannot mean another
# process. TERM first: `atmost` passes it on to its command, which is not our child and would
# outlive a KILL. A script with a trap of its own calls it last, with the exit code in $ended.
clean_up() {
  code=${ended-$?}
  trap - EXIT
  for pid in $started_all; do kill -TERM "$pid" 2>/dev/null || :; done
  tries=0
  for pid in $started_all; do
    while kill -0 "$pid" 2>/dev/null && [ $tries -lt 100 ]; do
      tries=$((tries + 1))
      sleep 0.02
    done
    kill -KILL "$pid" 2>/dev/null || :
  done
  for pid in $started_all; do wait "$pid" 2>/dev/null || :; done
  cd /
  if [ "$code" != 0 ] && [ "$code" != 125 ]; then
    for file in out err; do
      if [ -s "$folder/$file" ]; then sed "s/^/$script: $file: /" "$folder/$file" >&2; fi
    done
  fi
  chmod -R u+rwx "$folder" 2>/dev/null || :
  # A program that was started detached, atmost-tell, may still write there.
  tries=0
  until rm -rf "$folder" 2>/dev/null || [ "$tries" -ge 50 ]; do
    tries=$((tries + 1))
    sleep 0.1
  done
  [ ! -e "$folder" ] || rm -rf "$folder"
  exit "$code"
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
  echo "$script: FAIL: $*" >&2
  exit 1
}

skip() {
  echo "$script: skipped: $*" >&2
  exit 125
}

expect_code() {
  expected=$1
  shift
  got=0
  "$@" >out 2>err || got=$?
  [ "$got" = "$expected" ] || fail "exit code $got instead of $expected: $*"
}

expect_in() {
  grep -qF -- "$2" "$1" || fail "'$2' is not in $1: $(cat "$1")"
}

expect_line() {
  # A sanitizer's remark about vfork (its issue 189) does not belong to the program's output.
  lines=$(grep -vcE '__asan_handle_no_return|^False positive error|/sanitizers/issues/189' "$2" || :)
  [ "$lines" -eq "$1" ] || fail "$2 has $((lines)) lines instead of $1: $(cat "$2")"
}

wait_until() {
  deadline=$(($(date +%s) + ${2:-20}))
  until eval "$1"; do
    [ "$(date +%s)" -le "$deadline" ] || fail "not within ${2:-20} s: $1"
    sleep 0.02
  done
}

start() {
  "$@" &
  started=$!
  started_all="$started_all $started"
}

expect_end() {
  got=0
  wait "$2" || got=$?
  rest=
  for pid in $started_all; do
    if [ "$pid" != "$2" ]; then rest="$rest $pid"; fi
  done
  started_all=$rest
  [ "$got" = "$1" ] || fail "process $2 ended with $got instead of $1"
}
