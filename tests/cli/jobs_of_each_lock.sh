#!/bin/sh
# atmost jobs has a line for each lock: its last start, result and success, run times, refusals, and
# what runs now.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-jobs" ] || skip "built without the back tier"

expect_code 0 atmost run good true
expect_code 3 atmost run bad -- sh -c 'exit 3'
expect_code 75 atmost run -n 0 bad true
expect_code 75 atmost run -n 0 bad true
expect_code 127 atmost run missing ./none
expect_code 1 atmost run --min-runtime 10s fast true
start atmost run -n 2 held sleep 60
start atmost run -n 2 held sleep 60
wait_until '[ "$(atmost check held)" = 2 ]'
start atmost run -n 2 -w inf held true
wait_until 'atmost list held | grep -q waiting'
atmost drain good

expect_code 0 atmost jobs
expect_line 6 out
expect_line 0 err
[ "$(head -n 1 out)" = "LOCK	STARTED	RESULT	SUCCESS	TOOK	USUALLY	REFUSED	NOW	NEXT" ] || fail "$(head -n 1 out)"
of() { grep "^$1	" out | cut -f "$2"; }
[ "$(of good 3,7-9)" = 'success		drained	' ] || fail "$(of good 1-9)"
[ "$(of bad 3,4,7,8)" = 'exit 3		2	' ] || fail "$(of bad 1-9)"
[ "$(of missing 3,5)" = 'not started	' ] || fail "$(of missing 1-9)"
[ "$(of fast 3)" = 'too fast' ] || fail "$(of fast 1-9)"
[ "$(of held 3,8)" = '	2 running, 1 waiting' ] || fail "$(of held 1-9)"
[ "$(sed -n 2p out | cut -f 1)" = held ] || fail "the latest is not first: $(cat out)"
today=$(date -u +%Y-%m-%dT)
case $(of good 2)$(of good 4) in "$today"*"$today"*) ;; *) fail "no dates: $(of good 2,4)" ;; esac

expect_code 0 atmost jobs --json bad held
expect_line 2 out
expect_in out '"last_result":"failure"'
expect_in out '"exit":3'
expect_in out '"refused":2'
expect_in out '"running":2,"waiting":1,"drained":false'

expect_code 0 atmost jobs --failed
[ "$(cut -f 1 out | tail -n +2 | sort | tr '\n' ' ')" = 'bad fast missing ' ] || fail "$(cat out)"

# POSIX alone proves no holder, so that none is replaced, and does not see one that died.
[ -z "${ATMOST_PORTABLE-}" ] || exit 0

# A run that the next one was to replace did not fail.
start atmost run moved -- sh -c ': >inside; exec sleep 600'
wait_until '[ -e inside ]'
expect_code 2 atmost run --on-busy=replace moved -- sh -c 'exit 2'
expect_code 0 atmost jobs moved
[ "$(of moved 3)" = 'exit 2' ] || fail "$(of moved 1-9)"
start atmost run moved -- sh -c ': >again; exec sleep 600'
wait_until '[ -e again ]'
start atmost run --on-busy=replace moved -- sh -c ': >third; exec sleep 600'
wait_until '[ -e third ]'
wait_until '[ "$(atmost jobs moved | tail -n 1 | cut -f 3)" = replaced ]'
expect_code 0 atmost jobs --json moved
expect_in out '"last_result":"replaced"'
expect_code 0 atmost jobs --failed moved
expect_line 0 out

# A run that died with its supervisor is the last one, whatever the one before it did.
expect_code 0 atmost run dead true
start atmost run dead -- sh -c 'echo $$ >pid; exec sleep 600'
supervisor=$started
wait_until '[ -s pid ]'
wait_until '[ "$(atmost history --json --event admitted dead | wc -l)" = 2 ]'
expect_code 0 atmost jobs dead
[ "$(of dead 3,8)" = 'success	running' ] || fail "$(of dead 1-9)"
kill -KILL "$supervisor"
kill -KILL "$(cat pid)"
expect_end 137 "$supervisor"
wait_until '[ "$(atmost check dead)" = 0 ]'
expect_code 0 atmost jobs dead
[ "$(of dead 3,5,8)" = 'no end		' ] || fail "$(of dead 1-9)"
expect_code 0 atmost jobs --json dead
expect_in out '"last_result":"unseen","last_success":'

expect_code 0 atmost jobs godo
expect_in err "godo: nobody has used this lock yet; did you mean good?"
expect_code 64 atmost jobs --fail
expect_in err "no such option"
