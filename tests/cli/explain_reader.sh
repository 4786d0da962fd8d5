#!/bin/sh
# A user who may only read the file gets an explanation. Output that cannot be written is an error.
. "$(dirname "$0")/lib.sh"

atmost run ./a.lock -- true
chmod 0400 a.lock
expect_code 0 atmost explain ./a.lock
expect_in out "last success: "

if [ -w /dev/full ]; then
  code=0
  atmost explain ./a.lock >/dev/full 2>err || code=$?
  [ "$code" = 74 ] || fail "exit code $code on a full disk"
  expect_in err "cannot write the report"
fi
code=0
atmost explain ./a.lock >&- 2>err || code=$?
[ "$code" = 74 ] || fail "exit code $code with a closed standard output"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  chmod 0444 a.lock
  chmod 0755 .
  expect_code 0 setpriv --reuid 65534 --clear-groups "$ATMOST_BIN/atmost" explain ./a.lock
  expect_in out "last success: "
fi
