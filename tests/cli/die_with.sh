#!/bin/sh
# --die-with: the command, with all that it started, ends with the process that is named.
. "$(dirname "$0")/lib.sh"
if [ -n "${ATMOST_PORTABLE-}" ]; then
  expect_code 64 atmost run --die-with parent build true
  expect_in err 'atmost: --die-with: this system has no handles of processes'
  exit 0
fi

# A run that ends by itself, as without the option.
expect_code 7 atmost run --die-with parent build sh -c 'echo out; exit 7'
expect_in out out
expect_code 143 sh -c 'atmost run --die-with parent build sh -c "kill -TERM \$\$"; exit $?'

# The caller ends: 124, a line, and the reason caller_gone.
start sleep 60
caller=$started
start sh -c "exec atmost run --die-with $caller --kill-grace 100ms --status-fd 3 build sh -c 'echo >up; exec sleep 60' 3>status 2>err"
run=$started
wait_until '[ -e up ]'
kill "$caller"
expect_end 124 "$run"
expect_line 1 err
expect_in err 'atmost: build: the command was stopped after '
expect_in err ': the process that --die-with names has ended'
expect_in status '"reason":"caller_gone"'
expect_in locks/history.jsonl '"stopped":"caller_gone"'
expect_code 0 atmost history build
expect_in out 'stopped with its caller'

# It has ended already, or its number means another process: nothing starts.
expect_code 124 atmost run --die-with "$caller" build touch started
expect_in err 'atmost: --die-with: that process has ended, and so the command is not started'
expect_code 124 atmost run --die-with $$:1 build touch started
start_time=$(sed 's/.*) //' /proc/$$/stat | cut -d ' ' -f 20)
[ ! -e started ] || fail "the command was started"
expect_code 0 atmost run --die-with "$$:$start_time" build true
# The parent has ended: this process has become the child of another one.
setsid sh -c '(sleep 0.2; exec atmost run --die-with parent build touch started 2>orphan) & :'
wait_until '[ -s orphan ]'
expect_in orphan 'atmost: --die-with: that process has ended'
[ ! -e started ] || fail "the command was started"

# The caller ends while atmost waits for admission.
start sleep 60
caller=$started
start atmost run build sleep 60
wait_until '[ "$(atmost check build)" = 1 ]'
start sh -c "exec atmost run --die-with $caller -w inf build touch started 2>err"
run=$started
wait_until 'atmost list build | grep -q waiting'
kill "$caller"
expect_end 124 "$run"
expect_in err 'atmost: --die-with: that process has ended, and so the command is not started'
[ ! -e started ] || fail "the command was started"

# A daemon that the command leaves behind keeps nobody, and ends with the caller.
start sleep 60
caller=$started
expect_code 0 atmost run --die-with "$caller" --kill-grace 100ms other \
  sh -c 'setsid sh -c "echo \$\$ >daemon; exec sleep 61" >daemon.out 2>&1 & until [ -s daemon ]; do sleep 0.01; done'
daemon=$(cat daemon)
kill -0 "$daemon" || fail "the daemon ended with the command"
kill "$caller"
wait_until '! kill -0 "$daemon" 2>/dev/null'

# Signals for the process that was started reach the command.
start sleep 60
caller=$started
start atmost run --die-with "$caller" third sh -c 'trap "exit 9" USR1; echo >ready; while :; do sleep 0.02; done'
wait_until '[ -e ready ]'
kill -USR1 "$started"
expect_end 9 "$started"

expect_code 64 atmost run --die-with x build true
expect_in err 'atmost: --die-with: "x" names no process: use PID, PID:STARTTIME or parent'
expect_code 64 atmost run --die-with 5:x build true
expect_in err 'has no start time behind the colon'
expect_code 64 atmost run --exec --die-with parent build true
expect_in err 'atmost: --die-with: nobody stays to stop a command run with --exec'
