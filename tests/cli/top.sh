#!/bin/sh
# atmost top on a real terminal: it shows holders and waiters, and its keys act on what was shown,
# after a question.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "its holders have no pid here"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-top" ] || skip "built without ncurses"
command -v tmux >/dev/null || skip "no tmux"

expect_code 64 atmost top
expect_in err 'atmost: top: needs a terminal: use atmost list --watch'
expect_code 64 atmost top --n
expect_code 0 atmost top --help
expect_in out 'usage: atmost top'

# A server of this test's own; its socket is in the test's folder.
LC_ALL=C.UTF-8
export LC_ALL
unset TMUX
screen() { tmux -S "$PWD/socket" capture-pane -p -t "$session"; }
keys() { tmux -S "$PWD/socket" send-keys -t "$session" "$@"; }
shows() { wait_until "screen | grep -q -- '$1'"; }
in_terminal() {
  printf '%s; echo "left with $?"; stty -a; sleep 1000\n' "$1" >inside
  session=$2  # of one server, which ends with the test
  tmux -S "$PWD/socket" -f /dev/null new-session -d -s "$session" -x 110 -y 14 "sh $PWD/inside"
}
end_of_test() {
  ended_with=$?
  set +e
  [ "$ended_with" = 0 ] || screen | sed 's/^/top: screen: /' >&2
  tmux -S "$folder/socket" kill-server 2>/dev/null
  (exit "$ended_with")
  clean_up
}
trap end_of_test EXIT

start atmost run -n 1 --id first one sleep 100
one=$started
wait_until '[ "$(atmost check one)" = 1 ]'
start atmost run --expire-after 1h two sleep 100
two=$started
wait_until '[ "$(atmost check two)" = 1 ]'
start atmost run -n 1 -w inf one true
waiter=$started
in_terminal 'atmost top' keys
shows '2 held, 1 waiting in 2 locks, by lock'
screen | grep -qE '^LOCK +SLOT +STATE +PID +USER +AGE +EXPIRES +COMMAND$' || fail "heads: $(screen)"
screen | grep -qE "^one +1 +held +$one .* sleep" || fail "no holder: $(screen)"
screen | grep -qE "^one +- +waiting 1 +$waiter " || fail "no waiter: $(screen)"
screen | grep -qE "^two +1 +held +$two .*59m[0-9]+s" || fail "no expiry: $(screen)"

# Any key but "y" does nothing.
keys k
shows "stop $one (sleep), which holds one? y/N"
keys n
shows 'k stop  d drain'
[ "$(atmost check one)" = 1 ] || fail "stopped without a yes"

# The filter, and draining the chosen lock.
keys /
keys tw
shows '^/tw'
keys Enter
shows '1 held, 0 waiting in 1 lock, by lock, with "tw"'
keys d
shows 'drain two, so that nobody is admitted until it is resumed? y/N'
keys y
shows 'drained'
expect_code 75 atmost run two true
keys r
keys y
shows 'resumed'
expect_code 0 atmost run -n 2 two true
keys Escape
shows '2 held, 1 waiting'

# Sorted by age, the oldest comes first, and the chosen line stays the chosen one's.
keys s
shows 'oldest first'

# A kill acts on the holder that was shown. The waiter gets the slot that becomes free.
keys Home
keys k
shows "stop $one (sleep), which holds one? y/N"
keys y
expect_end 79 "$one"
expect_end 0 "$waiter"
[ "$(atmost check two)" = 1 ] || fail "another one was stopped"

keys q
shows 'left with 0'
screen | grep -q 'icanon' || wait_until 'screen | grep -q "icanon"'
if screen | grep -q -e '-icanon'; then fail "the terminal is not as it was"; fi

# A signal ends it as it ends any program, after the terminal was put back.
in_terminal 'sh -c "echo \$\$ >pid; exec atmost top"' signals
shows '0 held, 0 waiting\|1 held, 0 waiting'
kill -TERM "$(cat pid)"
shows 'left with 143'
