#!/bin/sh
# A waiter with --expire-idle stops a holder that does nothing, and no other one.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "needs /proc"

# held LOCK CODE...: a holder of LOCK that runs CODE
held() {
  lock=$1
  shift
  rm -f up
  start atmost run -n 2 "$lock" sh -c "echo >up; $*"
  wait_until '[ -e up ]'
}

# was_stopped PID: at the latest by KILL, on a busy machine
was_stopped() {
  got=0
  wait "$1" || got=$?
  [ "$got" = 79 ] || [ "$got" = 137 ] || fail "process $1 ended with $got"
}

held build 'sleep 60; :'
idle=$started
before=$(date +%s)
expect_code 0 atmost run -w 60 --expire-idle 500ms --kill-grace 100ms build echo mine
expect_in out mine
expect_in err 'atmost: build: stopped process '
expect_in err ', idle for longer than --expire-idle'
[ $(($(date +%s) - before)) -lt 20 ] || fail "it took too long"
was_stopped "$idle"
expect_code 0 atmost history build
expect_in out 'idle'

# A holder that works keeps its slot.
held busy 'end=$(($(date +%s) + 3)); while [ "$(date +%s)" -lt $end ]; do :; done'
works=$started
expect_code 75 atmost run -w 2 --expire-idle 500ms busy true
expect_end 0 "$works"

# Of two holders the idle one goes.
held two 'while :; do :; done'
works=$started
held two 'sleep 60; :'
idle=$started
expect_code 0 atmost run -n 2 -w 60 --expire-idle 500ms --kill-grace 100ms two true
was_stopped "$idle"
kill -0 "$works" || fail "the wrong one was stopped"

# An announced silence, and then none.
rm -f up
start atmost run --max-idle 20s tape sh -c 'atmost beat --eta 1h; echo >up
  while ! [ -e beat ]; do sleep 0.1; done; atmost beat; rm up; exec sleep 60'
announced=$started
wait_until '[ -e up ]'
echo >beat
wait_until '! [ -e up ]'
expect_code 0 atmost run -w 60 --expire-idle 500ms --kill-grace 100ms tape true
was_stopped "$announced"
rm -f up
start atmost run --max-idle 20s tape sh -c 'atmost beat --eta 1h; echo >up; exec sleep 60'
announced=$started
wait_until '[ -e up ]'
expect_code 75 atmost run -w 2 --expire-idle 500ms tape true
kill -0 "$announced" || fail "it was stopped in a silence that it had announced"

# hold takes over, too.
held kept 'sleep 60; :'
idle=$started
expect_code 0 atmost hold -w 60 --expire-idle 500ms --for-pid $$ kept
was_stopped "$idle"
expect_code 0 atmost release --for-pid $$ kept

expect_code 64 atmost run --expire-idle 1s build true
expect_in err 'atmost: --expire-idle: only a caller that waits'
