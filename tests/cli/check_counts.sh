#!/bin/sh
# check counts holders, creates nothing, and with -n answers by its exit code.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost check build
[ "$(cat out)" = 0 ] || fail "not 0"
expect_code 0 atmost check -n 1 build
expect_line 0 out
[ -z "$(ls locks)" ] || fail "check created $(ls locks)"
start atmost run -n 2 build sleep 60
wait_until '[ "$(atmost check build)" = 1 ]'
expect_code 0 atmost check -n 2 build
expect_code 75 atmost check -n 1 build
expect_in err "atmost: busy: build: 1 of 1 slots held"
expect_code 75 atmost check -q -n 1 build
expect_line 0 err
expect_code 75 atmost check -n 0 build
expect_code 0 atmost check --json build
expect_in out '{"lock":"build","held":1}'
expect_code 0 atmost check --json -n 2 build
expect_in out '{"kind":"admitted","code":0,"lock":"build"'
expect_code 75 atmost check --json -n 1 build
expect_in out '{"kind":"busy","code":75,"lock":"build"'
