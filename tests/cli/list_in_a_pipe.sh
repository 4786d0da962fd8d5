#!/bin/sh
# In a pipe list prints a head and columns with tabs between, without colour.
. "$(dirname "$0")/lib.sh"

start atmost run -n 2 --id 'my id' build sleep 60
wait_until '[ "$(atmost check build)" = 1 ]'
expect_code 0 atmost list
expect_line 2 out
expect_line 0 err
[ "$(head -n 1 out)" = "LOCK	SLOT	STATE	PID	USER	AGE	EXPIRES	ID	COMMAND" ] || fail "the head is $(head -n 1 out)"
[ "$(sed -n 2p out | cut -f 1-3,8,9)" = "build	1	held	my id	sleep" ] || fail "the line is $(sed -n 2p out)"
expect_code 0 atmost list -v
expect_in err "locks in $ATMOST_DIR"
expect_code 0 atmost list nobody
expect_line 1 out
