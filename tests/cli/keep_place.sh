#!/bin/sh
# --keep-place: a waiter that ends, by -w, TERM or KILL, finds its place again with its --id; ^C
# gives it up; a second caller with the id, and one that comes too late, queue anew.
. "$(dirname "$0")/lib.sh"

expect_code 64 atmost run -w 1 --keep-place 10m build true
expect_in err "--keep-place: belongs to an id"
expect_code 64 atmost run -w 1 --keep-place 2h --id a build true
expect_in err "at most 1h"
expect_code 64 atmost run --keep-place 10m --id a build true
expect_in err "--keep-place: this caller does not wait"

start atmost run build sleep 60
holder=$started
wait_until '[ "$(atmost check build)" = 1 ]'
waits() {  # COUNT
  wait_until "[ \$(atmost list build | grep -c waiting) = $1 ]"
}
kept() {  # ID SIGNAL: the waiter is killed
  start atmost run -w inf --keep-place 10m --id "$1" build sh -c "echo $1 >>order"
  waits "$2"
}
# The first ends with its -w, the second by TERM, the third by KILL, the fourth by ^C.
expect_code 75 atmost run -w 0.2 --keep-place 10m --id 1 build true
expect_in err "; place 1 of 1, kept for 10m"
kept 2 1
two=$started
kept 3 2
three=$started
# The shell starts what is in the background with SIGINT ignored.
start python3 -c 'import signal, os, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' atmost run -w inf --keep-place 10m --id 4 build true
four=$started
waits 3
kill -TERM "$two"
kill -KILL "$three"
kill -INT "$four"
expect_end 143 "$two"
expect_end 137 "$three"
expect_end 130 "$four"
waits 0
start atmost run -w inf build sh -c 'echo 5 >>order'
waits 1

# The fourth gave its place up; a place without a process is in nobody's way.
start atmost run -w inf --keep-place 10m --id 4 build sh -c 'echo 4 >>order'
waits 2
kept 3 3
expect_code 75 atmost run -w 0.1 --queue-max 4 --keep-place 10m --id 6 build true
expect_in err "; place 4 of 4, kept for 10m"
expect_code 75 atmost run -w 0.1 --queue-max 3 --id 7 build true
expect_in err "the queue is full"
kept 2 4
kept 1 5
# A second one with the id of a live one.
start atmost run -w inf --keep-place 10m --id 1 build sh -c 'echo 1b >>order'
waits 6
kill "$holder"
wait_until '[ "$(cat order 2>/dev/null | wc -l)" = 6 ]'
[ "$(tr '\n' ' ' <order)" = "1 2 3 5 4 1b " ] || fail "order: $(tr '\n' ' ' <order)"

# It is over after its time, and for others it never was.
start atmost run build sleep 60
holder=$started
wait_until '[ "$(atmost check build)" = 1 ]'
expect_code 75 atmost run -w 0.1 --keep-place 0.3 --id 8 build true
sleep 0.4
rm order
start atmost run -w inf build sh -c 'echo 9 >>order'
waits 1
kept 8 2
kill "$holder"
wait_until '[ "$(cat order 2>/dev/null | wc -l)" = 2 ]'
[ "$(tr '\n' ' ' <order)" = "9 8 " ] || fail "order: $(tr '\n' ' ' <order)"
