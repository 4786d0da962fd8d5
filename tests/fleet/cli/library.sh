#!/bin/sh
# A program that uses the C library holds locks of this store (tests/library/fleet_*).
. "$(dirname "$0")/lib.sh"

tests=$ATMOST_BIN/../tests/bin/library_fleet
[ -x "$tests" ] || skip "the tests of the library are not built"
case $FLEET_STORE in shared:*) skip "library_fleet does it with a directory of its own" ;; esac
"$tests" --gtest_brief=1 || fail "the library's tests failed with $FLEET_STORE"
