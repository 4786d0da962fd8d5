#!/bin/sh
# --with-flock: callers and users of flock(1) exclude one another, in both orders, and neither waits
# inside a decision.
. "$(dirname "$0")/lib.sh"
# The command of flock -o: it ends soon after flock has.
beside='while kill -0 "$PPID" 2>/dev/null; do sleep 0.1; done'
command -v flock >/dev/null || skip "no flock(1)"
[ -z "${ATMOST_PORTABLE-}" ] || skip "POSIX has no flock(2)"
flocked() { ! flock -n "$1" true; }
waits_for() { atmost list --json "$1" | grep -q '"state":"waiting"'; }

# Without the option neither heeds the other, and no flock is ever taken: flock -n finds the file
# free all the time.
start atmost run --no-history ./apart sleep 60
wait_until '[ "$(atmost check ./apart)" = 1 ]'
expect_code 0 flock -n apart true
kill "$started"
expect_end 143 "$started"

# flock(1) first. It is busy, with one line, and the refusal is recorded as usual.
: >f
start flock -o f sh -c "$beside"
other=$started
wait_until 'flocked f'
expect_code 75 atmost run --no-history --with-flock ./f true
expect_in err "busy: ./f: another process holds a flock(2) lock on it"
expect_line 1 err
expect_code 0 atmost run --no-history --with-flock --on-busy=skip ./f false
expect_code 75 atmost run --no-history --with-flock -w 300ms ./f true
expect_code 75 atmost run --no-history --with-flock -n 2 ./f true
expect_in err "flock(2)"
[ "$(atmost check ./f)" = 0 ] || fail "a refused one holds a slot"
expect_code 0 atmost explain ./f
grep -qE "flock\(2\).*exclusive, taken by .*$other" out || fail "explain does not name it: $(grep flock out)"
# Nothing is stopped for it: no record names who has it.
expect_code 75 atmost run --no-history --with-flock --expire-after 0 ./f true
kill -0 "$other" || fail "it was stopped"
# A waiter gets it within a second of its end.
start atmost run --no-history --with-flock -w inf ./f sh -c 'flock -n f true || echo kept >kept'
waiter=$started
wait_until 'waits_for ./f'
expect_code 75 atmost run --no-history --with-flock -w 10s --queue-max 1 ./f true
expect_in err "the queue is full: 1 waits already"
kill "$other"
expect_end 143 "$other"
expect_end 0 "$waiter"
[ -s kept ] || fail "the waiter has run without its flock"
expect_code 0 flock -n f true

# atmost first: exclusive for one at a time.
mkfifo gate
start atmost run --no-history --with-flock ./f sh -c 'read -r go <gate || :'
first=$started
wait_until '[ "$(atmost check ./f)" = 1 ]'
expect_code 1 flock -n f true
expect_code 1 flock -n -s f true
expect_code 75 atmost run --no-history ./f true
: >gate
expect_end 0 "$first"
expect_code 0 flock -n f true

# Several at a time: shared, so flock -x is kept out until the last has gone, and flock -s is not.
start atmost run --no-history --with-flock -n 2 ./two sleep 60
one=$started
start atmost run --no-history --with-flock -n 2 ./two sleep 60
two=$started
wait_until '[ "$(atmost check ./two)" = 2 ]'
expect_code 75 atmost run --no-history --with-flock -n 2 ./two true
expect_in err "2 of 2 slots held"
expect_code 0 flock -n -s two true
expect_code 1 flock -n two true
kill "$one"
expect_end 143 "$one"
expect_code 1 flock -n two true
kill "$two"
expect_end 143 "$two"
expect_code 0 flock -n two true

# It goes with the slot, whatever the command leaves behind ...
expect_code 0 atmost run --no-history --with-flock ./left sh -c 'sleep 60 >/dev/null 2>&1 & echo $! >daemon'
expect_code 0 flock -n left true
kill "$(cat daemon)"
# ... and stays with it when the supervisor is killed: until the command has gone.
start atmost run --no-history --with-flock ./orphan sh -c 'echo $$ >pid; mv pid orphan.pid; exec sleep 60'
wait_until '[ -e orphan.pid ]'
kill -KILL "$started"
expect_end 137 "$started"
expect_code 1 flock -n orphan true
expect_code 75 atmost run --no-history ./orphan true
kill -KILL "$(cat orphan.pid)"
wait_until 'flock -n orphan true'
expect_code 0 atmost run --no-history --with-flock ./orphan true

# The same where atmost becomes the command.
start atmost run --no-history --with-flock --exec ./become sleep 60
wait_until '[ "$(atmost check ./become)" = 1 ]'
expect_code 1 flock -n become true
kill "$started"
expect_end 143 "$started"
expect_code 0 flock -n become true

# All of several locks or none: the flock of one that was free is not kept.
start flock -o second sh -c "$beside"
wait_until 'flocked second'
expect_code 75 atmost run --no-history --with-flock --also ./second ./first true
expect_in err "busy: ./second: "
start atmost run --no-history --with-flock -w inf --also ./second ./first true
wait_until 'waits_for ./first'
wait_until 'flock -n first true'

# Held for a script.
start sleep 60
script=$started
expect_code 0 atmost hold --no-history --with-flock --for-pid "$script" ./script
expect_code 1 flock -n script true
expect_code 0 atmost release --for-pid "$script" ./script
expect_code 0 flock -n script true

# Commands for which it is meaningless.
expect_code 64 atmost run --with-flock --exec --until=close ./f true
expect_in err "--with-flock"
expect_code 64 atmost run --with-flock --store symlink: ./f true
expect_in err "--with-flock"
expect_code 64 atmost run --with-flock --store etcd://127.0.0.1:1/x f true
expect_in err "--with-flock"
