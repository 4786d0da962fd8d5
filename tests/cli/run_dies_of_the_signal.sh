#!/bin/sh
# A command that a signal ended ends atmost by the same signal.
. "$(dirname "$0")/lib.sh"

for signal in TERM KILL USR1; do
  expect_code 0 sh -c "atmost run lock sh -c 'kill -$signal \$\$' & wait \$!; kill -l \$?"
  expect_in out "$signal"
done
