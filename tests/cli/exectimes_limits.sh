#!/bin/sh
# exectimes limits, counts and lists; and atmost sees its holders, and it atmost's.
. "$(dirname "$0")/lib.sh"

mkfifo gate
start exectimes ./file 2 sh -c 'read -r go <gate'
first=$started
wait_until '[ "$(exectimes file check)" = "1 instances running" ]'
expect_code 0 exectimes file list
expect_line 1 out
expect_in out "Slot 1 held by PID $first"
start atmost run -n 2 ./file sleep 60
wait_until '[ "$(exectimes file check)" = "2 instances running" ]'
expect_code 1 exectimes file 2 true
[ "$(cat err)" = "Cannot start, 2 instances already running" ] || fail "$(cat err)"
expect_line 0 out
expect_code 75 atmost run -n 2 ./file true
expect_code 0 exectimes file list
expect_in out "Slot 2 held by PID "
expect_code 0 atmost list ./file
expect_in out "./file	1	held	$first"
echo go >gate
expect_end 0 "$first"
expect_code 0 exectimes file 2 true

# A name that could never be there is not counted.
for question in check list; do
    expect_code 1 exectimes ./no/such/file $question
    [ "$(cat err)" = "Failed to open file: No such file or directory" ] || fail "$(cat err)"
    expect_line 0 out
    expect_code 1 exectimes ./file/below $question
    expect_in err "Failed to open file: "
    expect_code 0 exectimes ./new $question
done
[ ! -e new ] || fail "a question made a file"
