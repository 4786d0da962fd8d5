#!/bin/sh
# atmost jobs takes the last start from the lock if the history no longer has it, or never had.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-jobs" ] || skip "built without the back tier"

start_of() { atmost jobs -q --json "$1" | sed -n 's/.*"last_start":\([0-9]*\)[.,].*/\1/p'; }

expect_code 0 atmost run --now 1795000000 --no-history silent true
expect_code 0 atmost run once -- true
expect_code 0 atmost jobs
[ "$(grep '^silent' out | cut -f 2,3)" = '2026-11-18T11:06:40.000000Z	' ] || fail "$(cat out)"
[ "$(grep '^once' out | cut -f 3)" = success ] || fail "$(cat out)"
logged=$(start_of once)
rm locks/history.jsonl
expect_code 0 atmost jobs
expect_line 1 err
expect_in err "no history yet"
[ "$(grep '^once' out | cut -f 3)" = '' ] || fail "a result of no run: $(cat out)"
kept=$(start_of ./locks/once.lock)
[ "$((logged - kept))" -le 1 ] && [ "$((logged - kept))" -ge -1 ] || fail "$kept, and not $logged"
expect_code 0 atmost jobs -q --json ./locks/once.lock
expect_in out '"refused":0,"running":0'
# Another machine's log may name files that are other locks here.
: >other.jsonl
expect_code 0 atmost jobs --log other.jsonl
expect_line 0 out

# A start that was recorded while the clock was wrong does not stay on top.
expect_code 0 atmost run --now 1990000000 --no-history ahead true
expect_code 0 atmost run now true
expect_code 0 atmost jobs
[ "$(sed -n 2p out | cut -f 1)" = now ] || fail "$(cat out)"
[ "$(tail -n 1 out | cut -f 1,2)" = 'ahead	2033-01-22T09:46:40.000000Z' ] || fail "$(cat out)"
