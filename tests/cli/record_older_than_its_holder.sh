#!/bin/sh
# A record may claim to be older than its process: nobody is stopped for that. A caller that waits
# meanwhile has no place in the queue, and so looks again soon: it runs when the holder has ended,
# not half a minute later.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "nobody can be taken over from"

mkfifo go
start atmost run --now 1000000000 job -- sh -c 'echo >up; read -r word <go; echo >ended'
holder=$started
wait_until '[ -e up ]'
start sh -c 'exec atmost run -v -w inf --expire-after 1h job -- sh -c "[ -e ended ] && echo >ran" 2>said'
waiter=$started
wait_until 'grep -qs waiting said'
[ ! -e ran ] || fail "it ran beside the holder"
echo on >go
expect_end 0 "$holder"
wait_until '[ -e ran ]' 15
expect_end 0 "$waiter"
if grep -q 'stopped process' said; then fail "$(cat said)"; fi
