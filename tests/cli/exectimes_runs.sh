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
for wrong in -1 '' ' ' + '+-1' '+ 1' '1 ' 1x 0x1; do
    expect_code 1 exectimes file "$wrong" true
    expect_in err "exectimes: MAX: \"$wrong\" is not a whole number"
done
# As `"$(wc -l <file)"` pads it, and the other texts that strtoul(3) takes for a number.
for right in ' 1' '	  +1' +1 001 99999999999999999999; do
    expect_code 7 exectimes file "$right" sh -c 'exit 7'
done
expect_code 1 exectimes file 1 ./missing
[ "$(cat err)" = "exec failed: No such file or directory" ] || fail "$(cat err)"
expect_code 1 exectimes missing/file 1 true
[ "$(cat err)" = "Failed to open file: No such file or directory" ] || fail "$(cat err)"
expect_code 0 exectimes file 18446744073709551615 true
