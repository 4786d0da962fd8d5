#!/bin/sh
# The command finds its slot, its locks and the time that it waited.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost run -n 4 -k 2 build sh -c 'env | grep ^ATMOST_'
expect_in out "ATMOST_LOCK=build"
expect_in out "ATMOST_LOCKFILE=$ATMOST_DIR/build.lock"
expect_in out "ATMOST_SLOT=1"
expect_in out "ATMOST_SLOTS=1,2"
expect_in out "ATMOST_INDICES=0,1"
expect_in out "ATMOST_TOKEN="
expect_in out "ATMOST_WAITED_MS=0"
expect_in out "ATMOST_HELD=$ATMOST_DIR/build.lock"

expect_code 0 atmost run --env PORT=slot+3000 port sh -c 'echo "port $PORT"'
expect_in out "port 3001"
expect_code 64 atmost run --env PORT=slot+ port true
expect_code 64 atmost run --env PORT=slot+-1 port true
