#!/bin/sh
# --max-runtime stops the command: 124 and a line.
. "$(dirname "$0")/lib.sh"

expect_code 124 atmost run --max-runtime 100ms --kill-grace 5s build sleep 60
expect_line 1 err
expect_in err "atmost: build: the command was stopped after 100ms"
# The number is the caller's; the time with the graces is another one, with a label.
expect_code 124 atmost run --max-runtime 100ms --kill-grace 400ms build \
  sh -c 'trap "" INT TERM; while :; do sleep 0.01; done'
grep -qE 'build: the command was stopped after 100ms \(it ended after [^)]*\), as --max-runtime says' \
  err || fail "$(cat err)"
expect_code 0 atmost run --max-runtime 60 build true
expect_code 0 atmost run --max-runtime 0 build true
