#!/bin/sh
# kill --token stops the holder that had been shown, and never the one that came after it.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "with POSIX alone nobody can be signalled for sure"

token_of() { atmost list --json "$1" | sed -n 's/.*"token":\([0-9]*\),"id":"'"$2"'".*/\1/p'; }
start atmost run -n 2 --id one job sleep 60
one=$started
start atmost run -n 2 --id two job sleep 60
two=$started
wait_until '[ "$(atmost check job)" = 2 ]'
token=$(token_of job one)
expect_code 0 atmost kill --dry-run --token "$token" job
expect_in err 'would be stopped'
expect_line 1 err
expect_code 0 atmost kill --token "$token" job
expect_end 79 "$one"
[ "$(atmost check job)" = 1 ] || fail "the other one was stopped, too"

# The slot has another holder now.
start atmost run -n 2 --id three job sleep 60
three=$started
wait_until '[ "$(atmost check job)" = 2 ]'
expect_code 0 atmost kill --token "$token" job
expect_line 0 err
[ "$(atmost check job)" = 2 ] || fail "the next holder was stopped"
expect_code 64 atmost kill --token "$token" --slot 1 job
expect_in err 'atmost: --token: names its holder itself: leave --slot and --overdue out'
expect_code 64 atmost kill --token x job
expect_code 0 atmost kill job
expect_end 79 "$two"
expect_end 79 "$three"
