#!/bin/sh
# A command that could not be executed does not use up the interval.
. "$(dirname "$0")/lib.sh"

at() { atmost run --now "$1" --if-elapsed 1h "$2" hourly -- "$3"; }
expect_code 127 at 1000000000 -v ./no-such-program
expect_code 0 at 1000000001 -v true
# The one before counts as it did before.
expect_code 76 at 1000000002 -v ./no-such-program
: >not-executable
expect_code 126 at 1000003601 -v ./not-executable
expect_code 126 at 1000003601 --exec ./not-executable
expect_code 76 atmost check --now 1000003600 --if-elapsed 1h hourly
expect_code 0 at 1000003602 --exec true
# A command that fails was started.
expect_code 1 at 1000007300 -v false
expect_code 76 at 1000007301 -v true

# It may also count from the finish.
expect_code 127 atmost run --now 1000000000 late ./no-such-program
expect_code 0 atmost check --now 1000000001 --if-elapsed 1h --elapsed-from finish late
