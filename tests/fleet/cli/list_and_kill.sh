#!/bin/sh
# list names the hosts; kill and wait reach them; drained slots are shown.
. "$(dirname "$0")/lib.sh"
export ATMOST_STORE="$FLEET_STORE"
here=$(uname -n)
there=$here
if unshare --uts true 2>/dev/null || unshare -Ur --uts true 2>/dev/null; then there=red; fi

start as_host red atmost run -n 2 --expire-after 1h --id night listed sleep 100 2>said
holder=$started
wait_until '[ "$(atmost check listed)" = 1 ]'
start atmost run -n 1 -w inf listed sleep 100
waiter=$started
wait_until 'atmost list listed | grep -q waiting'
expect_code 0 atmost list listed
grep -qE "^listed	1	held	[0-9]+@$there	[^	]+	[0-9a-z]+	59m[0-9]+s	night	sleep\$" out || fail "the holder: $(cat out)"
grep -qE "^listed	-	waiting	[0-9]+@$here	$(id -un)	" out || fail "the waiter: $(cat out)"
expect_code 0 atmost list --json listed
grep -qE '"slot":1,"pid":[0-9]+,.*"host":"'"$there"'",.*"age_s":[0-9.]+,"expires_s":35[0-9.]+,"token":[1-9][0-9]*,"id":"night"' out ||
  fail "the holder as JSON: $(cat out)"
expect_code 0 atmost list
expect_in out listed
expect_code 75 atmost run listed true
expect_in err "@$there sleep \"night\""

expect_code 0 atmost kill --dry-run listed
expect_in err "on $there would be stopped"
expect_code 0 atmost kill --slot 2 listed
expect_code 0 atmost kill --overdue listed
kill -0 "$holder" || fail "who was not meant was stopped"
expect_code 0 atmost kill -v --slot 1 listed
expect_in err "on $there, with SIGINT"
expect_in err "on $there (sleep \"night\"), which"
expect_end 79 "$holder"
expect_in said "taken over, or stopped by atmost kill"
wait_until 'atmost list listed | grep -q "held.*@$here"'
kill "$waiter"
expect_code 0 atmost wait -n 1 -w 10 listed

expect_code 0 atmost drain --slot 2 listed
expect_code 0 atmost list listed
expect_in out "listed	2	drained	-"
expect_code 75 atmost run -n 2 -k 2 listed true
expect_in err "1 of 2 slots held or drained, 2 wanted"
expect_code 0 atmost run -n 3 -k 2 listed sh -c 'echo $ATMOST_SLOTS'
expect_in out 1,3
expect_code 0 atmost resume --slot 2 listed
expect_code 0 atmost drain listed
expect_code 75 atmost run -n 3 listed true
expect_in err drained
expect_code 0 atmost resume listed
