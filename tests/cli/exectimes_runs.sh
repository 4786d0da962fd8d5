#!/bin/sh
# exectimes: its usage, refusal and codes.
. "$(dirname "$0")/lib.sh"

expect_code 1 exectimes
expect_in err "usage: exectimes LOCKFILE MAX COMMAND"
expect_line 0 out
expect_code 1 exectimes file
expect_code 1 exectimes file 1
expect_code 7 exectimes file 1 sh -c 'exit 7'
[ "$(stat -c %a file)" = 666 ] || fail "mode $(stat -c %a file)"
expect_code 1 exectimes file 0 true
expect_in err "Cannot start, 0 instances already running"
expect_code 1 exectimes file many true
expect_in err '"many" is not a whole number'
expect_line 1 err
expect_code 1 exectimes file -1 true
expect_code 1 exectimes file 1 ./missing
[ "$(cat err)" = "exec failed: No such file or directory" ] || fail "$(cat err)"
expect_code 1 exectimes missing/file 1 true
[ "$(cat err)" = "Failed to open file: No such file or directory" ] || fail "$(cat err)"
expect_code 0 exectimes file 18446744073709551615 true
