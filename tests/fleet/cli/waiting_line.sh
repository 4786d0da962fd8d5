#!/bin/sh
# A waiter's line on a terminal is gone when ^C ends the waiter, which leaves the queue first.
. "$(dirname "$0")/lib.sh"
export ATMOST_STORE="$FLEET_STORE"
command -v tmux >/dev/null || skip "no tmux"
unset TMUX
on_server() { tmux -S "$folder/socket" -f /dev/null "$@"; }
screen() { on_server capture-pane -p | sed -e 's/ *$//' -e '/^$/d'; }
end_of_test() {
  ended_with=$?
  set +e
  [ "$ended_with" = 0 ] || screen | sed 's/^/waiting_line: screen: /' >&2
  on_server kill-server 2>/dev/null
  (exit "$ended_with")
  clean_up
}
trap end_of_test EXIT

start atmost run enc sleep 100
wait_until '[ "$(atmost check enc)" = 1 ]'
cat >inside <<'SH'
trap 'echo caught' INT
atmost run -w inf enc echo ran
echo "left with $?"
exec sleep 1000
SH
on_server new-session -d -x 120 -y 20 bash "$PWD/inside"
wait_until 'screen | grep -q "^atmost: waiting for enc: 1st of 1; held by"'
on_server send-keys C-c
wait_until 'screen | grep -q "left with"'
[ "$(screen)" = 'caught
left with 130' ] || fail "$(screen)"
