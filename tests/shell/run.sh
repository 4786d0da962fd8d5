#!/bin/sh
# sh run.sh SHELL FILE: runs FILE in SHELL (ash: busybox's), in a new folder of its own that is
# removed afterwards. By hand: ATMOST_BIN=build/bin ATMOST_SHELL=shell sh tests/shell/run.sh dash
# tests/shell/lock_unlock_test.sh
set -eu
bin=$(cd "$ATMOST_BIN" && pwd)
functions=$(cd "$ATMOST_SHELL" && pwd)
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-shell.XXXXXX")
# A keeper may be about to write to the lock file when its script has ended.
trap 'rm -rf "$folder" 2>/dev/null || { sleep 1; rm -rf "$folder"; }' EXIT
trap 'exit 143' HUP INT TERM
mkdir "$folder/bin" "$folder/work"
program=$1
if [ "$1" = ash ]; then program=busybox; fi
found=$(command -v "$program") || {
  echo "skipped: no $1 here (tools/install_deps build check installs it)" >&2
  exit 125
}
echo "tested: $1, $found"
ln -s "$found" "$folder/bin/$1"
TEST_SHELL=$folder/bin/$1
TEST_FILE=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
PATH=$bin:$PATH
export TEST_SHELL TEST_FILE PATH
LOCK_UNLOCK=$functions/lock_unlock.sh
XDG_STATE_HOME=$folder/state
HOME=$folder
LC_ALL=C
ATMOST_DIR=$folder/state/atmost
export LOCK_UNLOCK XDG_STATE_HOME HOME LC_ALL ATMOST_DIR
unset ATMOST_STORE ATMOST_HELD ATMOST_HOLD_MARK ATMOST_LOCK ATMOST_SLOT ATMOST_SLOTS ATMOST_TOKEN
cd "$folder/work"
"$TEST_SHELL" "$TEST_FILE"
