#!/bin/sh
# On a terminal list explains its question mark, and --watch cuts what would not fit on the screen.
. "$(dirname "$0")/lib.sh"
command -v script >/dev/null || skip "no script(1)"

i=0
while [ $i -lt 14 ]; do
  start atmost run -n 20 many sleep 60
  i=$((i + 1))
done
wait_until '[ "$(atmost check many)" = 14 ]'
start script -qfc 'stty rows 10 cols 100; atmost list --watch & echo $! >pid; wait' watched
wait_until '[ -s pid ] && grep -q "more" watched'
kill -INT "$(cat pid)" 2>/dev/null || kill -TERM "$(cat pid)"
expect_end 0 "$started"
expect_in watched '... and 10 more'
if grep -qE "^many +14 " watched; then fail "all are shown"; fi
# This part needs a terminal that scrolls. Output that is still in the terminal when the last
# program ends may be lost: it ends when all has been seen.
start script -qfc 'stty rows 10 cols 100; atmost list; echo the "end"; until [ -e seen ]; do sleep 0.02; done' screen
wait_until 'grep -q "^the end" screen'
: >seen
expect_end 0 "$started"
[ "$(grep -c '^many' screen)" = 14 ] || fail "cut: $(cat screen)"
[ -n "${ATMOST_PORTABLE-}" ] || ! grep -q "^?: " screen || fail "explained without need"

[ -z "${ATMOST_PORTABLE-}" ] && [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || exit 0
chmod 755 . locks
chmod 644 locks/many.lock
rm -f seen screen
start script -qfc 'stty rows 40 cols 100
  setpriv --reuid 65534 --clear-groups --inh-caps=-all "$ATMOST_BIN/atmost" list many
  echo the "end"
  until [ -e seen ]; do sleep 0.02; done' screen
wait_until 'grep -q "^the end" screen'
: >seen
expect_end 0 "$started"
grep -qE 'held +[0-9]+\?' screen || exit 0 # all are confirmed from there
expect_in screen '?: by its record only'
