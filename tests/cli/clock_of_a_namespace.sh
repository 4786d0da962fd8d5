#!/bin/sh
# A time namespace has a boot clock of its own: nobody runs early and nobody is overdue because of
# it.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "no boot can be told from another"

ahead() { unshare --time --boottime 10000000 --fork -- "$@"; }
ahead true 2>/dev/null || skip "no time namespaces"

soon_is_told() {
  grep -qE 'come back in (1h|59m)' err || fail "told wrong: $(cat err)"
  if grep -q future err; then fail "the clock of the namespace: $(cat err)"; fi
}

expect_code 0 atmost run --if-elapsed 1h ./lock true
expect_code 76 ahead atmost run --if-elapsed 1h ./lock true
soon_is_told
expect_code 0 ahead atmost run --if-elapsed 1ms ./lock true
expect_code 76 atmost run --if-elapsed 1h ./lock true
soon_is_told

start atmost run ./held -- sleep 600
wait_until '[ "$(atmost check ./held)" = 1 ]'
expect_code 75 ahead atmost run --expire-after 1h ./held true
expect_code 75 ahead atmost run --expire-after 1h --now "$(date +%s)" ./held true
expect_code 0 ahead atmost run --expire-after 0 ./held true
