#!/bin/sh
# On a terminal list shows the directory and fits its columns to the width; --watch gives the
# cursor back.
. "$(dirname "$0")/lib.sh"

command -v script >/dev/null || skip "no script(1)"
name=$(printf 'a%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40)
start atmost run "$name" sleep 60
wait_until '[ "$(atmost check "$name")" = 1 ]'
NO_COLOR=1 script -qc 'stty cols 70; atmost list' /dev/null >screen </dev/null
expect_in screen "locks in $ATMOST_DIR"
expect_in screen "…"
[ "$(LC_ALL=C.UTF-8 awk 'length($0) > 71' screen | grep -vc 'locks in')" = 0 ] || fail "too wide: $(cat screen)"

# Colours, the place in the queue, and the totals; none of them in a pipe.
start atmost run -w inf -n1 "$name" true
wait_until 'atmost list "$name" | grep -q waiting'
TERM=xterm script -qc 'stty cols 200; atmost list' /dev/null >screen </dev/null
expect_in screen "$(printf '\033[1mLOCK')"
expect_in screen "waiting 1st"
expect_in screen "1 of 1 held, 1 waiting"
TERM=xterm NO_COLOR=1 script -qc 'stty cols 200; atmost list' /dev/null >screen </dev/null
if grep -q "$(printf '\033')" screen; then fail "colours: $(cat -v screen)"; fi
atmost list >plain
if grep -qE '1st|held,' plain; then fail "for people: $(cat plain)"; fi

start script -qfc 'atmost list --watch & echo $! >pid; wait' watched
wait_until '[ -s pid ] && [ -s watched ] && [ "$(grep -c LOCK watched)" -ge 2 ]'
kill -INT "$(cat pid)" 2>/dev/null || kill -TERM "$(cat pid)"
expect_end 0 "$started"
tail -c 200 watched | grep -q "$(printf '\033\\[?25h')" || fail "the cursor stays hidden"
