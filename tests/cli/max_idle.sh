#!/bin/sh
# --max-idle stops a command that does nothing: 124, a line, and the reason idle.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "needs /proc"

expect_code 124 atmost run --max-idle 500ms --status-fd 3 --kill-grace 5s build sh -c 'sleep 60; :' 3>status
expect_line 1 err
expect_in err 'atmost: build: the command was stopped after '
expect_in err ': idle for 500ms (--max-idle)'
expect_in status '"reason":"idle"'
expect_in locks/history.jsonl '"stopped":"idle"'
expect_code 0 atmost history build
expect_in out 'stopped by --max-idle'

# It waits for another lock, or below another supervisor that looks at it; both look at files.
start atmost run other sleep 60
wait_until '[ "$(atmost check other)" = 1 ]'
expect_code 124 atmost run --max-idle 2s --kill-grace 5s build atmost run -w inf other true
expect_code 124 atmost run --max-idle 2s --kill-grace 5s build \
  atmost run --max-idle 10s inner sh -c 'sleep 60; :'

# A command that works for longer is left alone.
expect_code 0 atmost run --max-idle 500ms build sh -c '
  end=$(($(date +%s) + 2))
  while [ "$(date +%s)" -lt $end ]; do :; done'
expect_code 0 atmost run --max-idle 0 build true
expect_code 64 atmost run --exec --max-idle 1s build true
expect_in err 'atmost: --max-idle: nobody stays'
