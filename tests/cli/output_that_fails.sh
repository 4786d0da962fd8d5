#!/bin/sh
# A full disk is an error with exit code 74; a reader that went away is not an error; a closed
# stream is reported.
. "$(dirname "$0")/lib.sh"

[ -w /dev/full ] || skip "no /dev/full"
expect_code 0 atmost run build true
for command in 'list' 'check build' '--help' '--version' 'run --help' 'list --json'; do
  [ "$command" != 'list --json' ] || start atmost run build sleep 60
  [ "$command" != 'list --json' ] || wait_until '[ "$(atmost check build)" = 1 ]'
  code=0
  # shellcheck disable=SC2086
  atmost $command >/dev/full 2>err || code=$?
  [ $code = 74 ] || fail "atmost $command >/dev/full: exit code $code"
  expect_in err "atmost: standard output: cannot write: No space left on device"
  expect_line 1 err
done
code=0
atmost check build >&- 2>err || code=$?
[ $code = 74 ] || fail "closed: exit code $code"
expect_line 1 err
(atmost list; echo $? >code) 2>err | :
wait_until '[ -s code ]'
[ "$(cat code)" = 0 ] || fail "atmost list | : ended with $(cat code)"
expect_line 0 err

# Help is output too, in the programs of their own as well.
if [ -w /dev/full ]; then
  for program in history stats report simulate; do
    [ -x "$ATMOST_BIN/../libexec/atmost/atmost-$program" ] || continue
    code=0
    atmost "$program" --help >/dev/full 2>err || code=$?
    [ "$code" = 74 ] || fail "atmost $program --help into a full device ends with $code"
  done
fi
