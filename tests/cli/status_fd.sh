#!/bin/sh
# --status-fd gets one JSON line with the outcome, and the command does not inherit it.
. "$(dirname "$0")/lib.sh"

atmost run --status-fd 5 build sh -c 'if (: >&5) 2>/dev/null; then exit 3; fi; exit 75' 5>status && fail "exit code 0"
expect_line 1 status
expect_in status '{"kind":"ran","code":75,"lock":"build","slot":1,"token":'
expect_in status '"status":75,"signal":null,'
start atmost run build sleep 60
wait_until '[ "$(atmost check build)" = 1 ]'
atmost run -q --status-fd 5 build true 5>status && fail "exit code 0"
expect_in status '{"kind":"busy","code":75,'
atmost run -q --status-fd 5 .. true 5>status && fail "exit code 0"
expect_in status '{"kind":"failed","code":64,'
expect_code 64 atmost run --status-fd 9 other touch ran
expect_in err "--status-fd: descriptor 9 is not open for writing"
[ ! -e ran ] || fail "the command ran"
atmost run --exec --status-fd 5 other sh -c 'if (: >&5) 2>/dev/null; then exit 3; fi; exit 0' 5>status
expect_line 1 status
expect_in status '{"kind":"admitted","code":0,"lock":"other","slot":1,'
if [ -w /dev/full ]; then
  atmost run --status-fd 5 another sh -c 'exit 3' 5>/dev/full 2>err && fail "exit code 0"
  expect_in err "--status-fd: cannot write: No space left on device"
fi
