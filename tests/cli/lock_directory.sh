#!/bin/sh
# The directory of named locks: --dir, ATMOST_DIR, or the state directory with the host's name; it
# is made if missing.
script_path=$(cd "$(dirname "$0")" && pwd)/lock_directory.sh
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost run --dir "$folder/d/e" build true
[ -e d/e/build.lock ] || fail "no d/e/build.lock"
expect_code 0 atmost run build true
[ -e locks/build.lock ] || fail "no locks/build.lock"
if [ "$(id -u)" = 0 ]; then
  # Root has another directory, which is not ours to write to: the rest as somebody else.
  command -v setpriv >/dev/null || skip "no setpriv"
  somebody='setpriv --reuid 65534 --regid 65534 --clear-groups'
  $somebody test -r "$script_path" -a -x "$ATMOST_BIN/atmost" || skip "nobody may not look into this folder"
  code=0
  (cd / && $somebody env ATMOST_BIN="$ATMOST_BIN" sh "$script_path") || code=$?
  exit $code
fi
unset ATMOST_DIR
expect_code 0 atmost run --host mars build true
[ -e state/atmost/mars/build.lock ] || fail "not in the state directory"
[ "$(stat -c %a state/atmost/mars)" = 700 ] || fail "others may look"
unset XDG_STATE_HOME
expect_code 0 atmost run --host mars build true
[ -e .local/state/atmost/mars/build.lock ] || fail "not in ~/.local/state"
XDG_STATE_HOME=relative
export XDG_STATE_HOME
expect_code 0 atmost run --host venus build true
[ -e .local/state/atmost/venus/build.lock ] || fail "a relative XDG_STATE_HOME was used"
unset HOME XDG_STATE_HOME
expect_code 64 atmost run build true
expect_in err '$HOME is not set'
expect_code 0 atmost run ./build true
