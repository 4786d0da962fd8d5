#!/bin/sh
# A symlink lock's time is in whole seconds: never less than was asked for.
. "$(dirname "$0")/lib.sh"

for pair in 1ms=1 999ms=1 1s=1 1001ms=2 1500ms=2 1m=60; do
  expect_code 0 atmost run --store symlink: --expire-after "${pair%=*}" ./link readlink link
  expect_in out " ttl=${pair#*=} "
done
