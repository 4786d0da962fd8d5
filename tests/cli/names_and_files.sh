#!/bin/sh
# No two names share a file, however long they are; a path is a path.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost run a_b true
expect_code 0 atmost run ./a true
[ -e a ] || fail "./a is no file here"
[ -e locks/a_b.lock ] || fail "no a_b.lock"
long=$(printf '%0300d' 0)
start atmost run "${long}x" sleep 60
wait_until '[ "$(atmost check "${long}x")" = 1 ]'
expect_code 0 atmost run "${long}y" true
expect_code 75 atmost run "${long}x" true
# shellcheck disable=SC2010  # escaped names hold no newline
[ "$(ls locks | grep -c '%+')" = 2 ] || fail "not two cut names: $(ls locks)"
