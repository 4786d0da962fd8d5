#!/bin/sh
# doctor tries locks with real processes, answers yes or no, and leaves nothing behind.
. "$(dirname "$0")/lib.sh"

mkdir good
expect_code 0 atmost doctor good
expect_in out "ok    two-openers"
expect_in out "ok    kill"
if [ ! "${ATMOST_PORTABLE-}" ]; then
  expect_in out "ok    filesystem"
  expect_in out "ok    exec"
fi
[ "$(tail -n 1 out | cut -d: -f1)" = yes ] || fail "the last line is no verdict: $(tail -n 1 out)"
[ -z "$(ls -A good)" ] || fail "left behind: $(ls -A good)"

expect_code 0 atmost doctor --json good
expect_in out '{"level":"ok","check":"two-openers"'
tail -n 1 out >last
expect_in last '"check":"verdict","what":"yes"'

# Without a directory it examines that of named locks.
expect_code 0 atmost doctor
expect_in out "yes: locks can be trusted in $ATMOST_DIR"

expect_code 74 atmost doctor missing
expect_in out "FAIL  directory"
expect_in out "no: locks cannot be trusted in missing"

chmod 0777 good
expect_code 74 atmost doctor good
expect_in out "FAIL  permissions"
expect_in out "everybody may rename files in "

if [ -w /dev/full ]; then
  code=0
  atmost doctor . >/dev/full 2>err || code=$?
  [ "$code" = 74 ] || fail "exit code $code on a full disk"
fi
