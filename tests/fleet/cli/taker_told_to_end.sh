#!/bin/sh
# A taker that gets a signal to end leaves nothing in the way of others: the slot is free as soon
# as its holder has gone.
. "$(dirname "$0")/lib.sh"
export ATMOST_STORE="$FLEET_STORE"

start atmost run --kill-grace 500ms given-up sh -c 'trap "echo >asked" INT TERM; echo >up; while :; do sleep 0.1; done'
holder=$started
wait_until '[ -e up ]'
start atmost run --kill-grace 500ms --on-busy=replace given-up touch ran
wait_until '[ -e asked ]'
kill -TERM "$started"
expect_end 143 "$started"
expect_end 79 "$holder"
expect_code 0 atmost run given-up true
[ ! -e ran ] || fail "who was told to end ran its command"
