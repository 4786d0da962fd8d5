#!/bin/sh
# stats --prometheus counts the holders and waiters of this moment, for any name of a lock.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-stats" ] || skip "built without the back tier"

expect_code 0 atmost run free true
expect_code 0 atmost run 'a "b' true
expect_code 0 atmost run "$folder/by path.lock" true
start atmost run -n 2 'a "b' sleep 60
start atmost run -n 2 'a "b' sleep 60
start atmost run "$folder/by path.lock" sleep 60
wait_until '[ "$(atmost check "a \"b")" = 2 ] && [ "$(atmost check "$folder/by path.lock")" = 1 ]'
start atmost run -n 2 -w inf 'a "b' true
wait_until 'atmost list "a \"b" | grep -q waiting'
expect_code 0 atmost stats --prometheus
expect_in out 'atmost_holders{lock="a \"b",'
grep -Eq '^atmost_holders\{lock="a \\"b",.*} 2$' out || fail "not 2 holders: $(grep atmost_holders out)"
grep -Eq '^atmost_waiters\{lock="a \\"b",.*} 1$' out || fail "not 1 waiter: $(grep atmost_waiters out)"
grep -Eq '^atmost_holders\{lock="free",.*} 0$' out || fail "not 0 holders: $(grep atmost_holders out)"
grep -Eq '^atmost_holders\{lock=".*by path.lock",.*} 1$' out || fail "not 1 holder: $(grep atmost_holders out)"
# Another machine's log.
expect_code 0 atmost stats --prometheus --log locks/history.jsonl
if grep -q '^atmost_holders{' out; then fail "holders of another machine"; fi
