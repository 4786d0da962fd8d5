#!/bin/sh
# No program takes the beginning of a long option for the option.
. "$(dirname "$0")/lib.sh"

: >f
atmost run job true
refused() {
  expect_code 64 "$@"
  expect_line 1 err
  expect_line 0 out
}
refused atmost run --exclusiv job true
expect_in err 'exclusiv'
refused atmost list --jso
refused atmost history --las 3
expect_in err '--las'
refused atmost history --las=3
refused atmost stats --jso
refused atmost report --outpu page.html
[ ! -e page.html ] || fail "a page was made"
refused atmost doctor --jso
refused atmost explain --verb job
if [ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ]; then
  refused atmost pass --dry-ru f
  refused atmost pass --job 2 f
fi
refused atmost simulate --rul x f
if [ -x "$ATMOST_BIN/../libexec/atmost/atmost-top" ]; then refused atmost top --di .; fi
expect_code 0 atmost history --last=1
expect_code 0 atmost history --last 1
