#!/bin/sh
# A shell that becomes atmost with exec may have had children: should the supervisor be killed, what
# it had started is still stopped, and they are not.
. "$(dirname "$0")/lib.sh"
export ATMOST_STORE="$FLEET_STORE"
child_of() { ps -o pid= --ppid "$1" | tr -d ' ' | grep -vx "$(cat before)"; }

start sh -c 'sleep 100 & echo $! >before; exec atmost run mixed sh -c "setsid sh -c \"echo \\\$\\\$ >new && mv new daemon; exec sleep 100\" & exec sleep 100"'
wait_until '[ -e daemon ]'
supervisor=$(child_of "$(child_of "$started")")
kill -9 "$supervisor"
expect_end 137 "$started"
wait_until '! kill -0 "$(cat daemon)" 2>/dev/null'
kill -0 "$(cat before)" || fail "a child of the shell was stopped"
kill "$(cat before)"
