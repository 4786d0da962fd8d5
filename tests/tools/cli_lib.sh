#!/bin/sh
# The helpers of tests/cli/lib.sh can fail, clean up after themselves, and end what they started.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin" "$dir/tmp"

# script CODE TEXT: a script of that text ends with CODE and leaves nothing behind.
script() {
  printf '. "%s/../cli/lib.sh"\n%s\n' "$here" "$2" >"$dir/script.sh"
  got=0
  ATMOST_BIN=$dir/bin TMPDIR=$dir/tmp OUTSIDE=$dir sh "$dir/script.sh" 2>"$dir/said" || got=$?
  [ "$got" = "$1" ] || { echo "FAIL: $got instead of $1 from: $2"; cat "$dir/said"; exit 1; }
  [ -z "$(ls "$dir/tmp")" ] || { echo "FAIL: left a folder behind: $2"; exit 1; }
}

script 0 'expect_code 3 sh -c "echo hello; exit 3"; expect_in out ell; expect_line 1 out; expect_line 0 err'
script 1 'expect_code 0 false'
script 1 'echo yes >x; expect_in x no'
script 1 'echo yes >x; expect_line 2 x'
script 1 'false'
script 1 'fail because'
script 125 'skip because'
script 0 'wait_until "[ -d . ]"'
script 1 'wait_until false 0'
script 0 'start sh -c "exit 7"; expect_end 7 $started'
script 1 'start sh -c "exit 7"; expect_end 0 $started'
script 0 'case $PWD in "$OUTSIDE"/tmp/*) ;; *) fail "in $PWD" ;; esac'

# A process that a failing script started is gone when it has ended, even if it ignores TERM.
script 1 'start sh -c "trap : TERM; echo \$\$ >\"$OUTSIDE/pid\"; while :; do sleep 0.02; done"
wait_until "[ -s $OUTSIDE/pid ]"
false'
if kill -0 "$(cat "$dir/pid")" 2>/dev/null; then
  echo "FAIL: a started process outlived its script"
  exit 1
fi
