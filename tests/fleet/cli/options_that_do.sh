#!/bin/sh
# The options of one machine mean the same in a fleet.
. "$(dirname "$0")/lib.sh"
export ATMOST_STORE="$FLEET_STORE"

expect_code 75 atmost run -n 0 sense true
expect_in err "admits nobody"
expect_code 0 atmost run -n 3 -k 2 sense sh -c 'echo "$ATMOST_SLOTS $ATMOST_INDICES"'
expect_in out "1,2 0,1"
expect_code 0 atmost run --also 2@sense-too --also sense-three --id note --splay 10ms --until=tree --on-lost=warn sense sh -c 'echo "$ATMOST_HELD"'
for name in sense.lock sense-too.lock sense-three.lock; do expect_in out "$name"; done
expect_code 124 atmost run --max-runtime 500ms sense sleep 20
expect_code 0 atmost run --log "$folder/log" --log-args sense true as-logged
expect_in log '"args"'
expect_in log as-logged
expect_code 0 atmost run --no-history sense true

# Readers and writers.
start atmost run --shared sense-mode sleep 100
reader=$started
wait_until '[ "$(atmost check sense-mode)" = 1 ]'
expect_code 0 atmost run --shared sense-mode true
expect_code 75 atmost run --exclusive sense-mode true
start atmost run -w inf --exclusive sense-mode touch written
kill "$reader"
wait_until '[ -e written ]'

# Refusals.
start atmost run sense-busy sleep 100
wait_until '[ "$(atmost check sense-busy)" = 1 ]'
expect_code 75 atmost run -w 200ms sense-busy true
expect_in err "busy: sense-busy: 1 of 1 slots held (by "
expect_in err "waited 2"
expect_code 3 atmost run --busy-exit-code 3 sense-busy true
expect_code 0 atmost run --on-busy=skip sense-busy true
expect_line 0 err
expect_code 0 atmost run --alert-after 2 sense-busy true
expect_line 0 err
expect_code 75 atmost run --alert-after 2 sense-busy true
expect_code 75 atmost run --status-fd 1 -q sense-busy true
expect_in out '"kind":"busy","code":75,"lock":"sense-busy"'
expect_code 75 atmost check -n 1 sense-busy
expect_code 0 atmost check -n 2 sense-busy
expect_code 75 atmost wait -n 1 -w 100ms sense-busy
expect_code 0 atmost wait -n 2 sense-busy
expect_code 0 atmost run --on-busy=replace sense-busy true

# Intervals.
expect_code 0 atmost run --if-elapsed 1h sense-soon true
expect_code 76 atmost run --if-elapsed 1h sense-soon true
expect_in err "too soon: sense-soon: the last run started less than 1h ago"
expect_code 76 atmost check -n 1 --if-elapsed 1h sense-soon
expect_code 0 atmost run --if-elapsed 1h --on-too-soon=skip sense-soon touch soon
[ ! -e soon ] || fail "it ran too soon"
expect_code 76 atmost run --if-elapsed inf sense-soon true
expect_code 0 atmost forget sense-soon
expect_code 0 atmost run --if-elapsed inf sense-soon true
expect_code 1 atmost run --if-elapsed 1h --elapsed-from success sense-success false
expect_code 0 atmost run --if-elapsed 1h --elapsed-from success sense-success true
expect_code 76 atmost run --if-elapsed 1h --elapsed-from success sense-success true
expect_code 0 atmost run --now 1000 --if-elapsed 1h sense-now true
expect_code 76 atmost run --now 1001 --if-elapsed 1h sense-now true
expect_code 0 atmost run --now 9000 --if-elapsed 1h sense-now true

# One waiter is enough.
start atmost run sense-join sleep 100
first=$started
wait_until '[ "$(atmost check sense-join)" = 1 ]'
start atmost run --on-busy=join sense-join touch joined
second=$started
wait_until 'atmost list sense-join | grep -q waiting'
expect_code 0 atmost run --on-busy=join sense-join touch never
kill "$first"
expect_end 0 "$second"
[ -e joined ] || fail "the waiter did not run"
[ ! -e never ] || fail "who had joined ran as well"
