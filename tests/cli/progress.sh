#!/bin/sh
# The output of a waiter never mixes with what others print on its terminal: the line that is
# written over and over is for a terminal that nobody else writes to, and it is gone before anything
# else appears there; elsewhere it is a whole line.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "a look would give up the locks of a process"

expect_code 64 atmost run --progress=none enc true
expect_in err '--progress: "none" is none of auto, lines'
ATMOST_PROGRESS=none expect_code 64 atmost run enc true
expect_in err '$ATMOST_PROGRESS: "none" is none of auto, lines'

mkfifo go
hold() {
  start atmost run enc sh -c 'read line <go'
  holder=$started
  wait_until '[ "$(atmost check enc)" = 1 ]'
}
let_go() {
  echo >go
  expect_end 0 "$holder"
}

# Without a terminal, lines are for callers that ask for them: the first comes at once, uncut.
hold
ATMOST_PROGRESS=lines
export ATMOST_PROGRESS
long=lock-with-a-name-of-more-than-eighty-columns-that-goes-on-until-the-line-must-be-longer
start atmost run --also "$long" -w inf enc true 2>err
wait_until '[ -s err ]'
let_go
expect_end 0 "$started"
grep -qx 'atmost: waiting for enc: 1st of 1; held by [0-9]* sh for [0-9a-z]*' err || fail "$(cat err)"
expect_line 1 err
hold
expect_code 75 atmost run -q -w 50ms enc true
expect_line 0 err
expect_code 75 atmost run --progress=auto -w 50ms enc true
if grep -q waiting err; then fail "auto without a terminal: $(cat err)"; fi
unset ATMOST_PROGRESS
let_go

command -v tmux >/dev/null || skip "no tmux"
LC_ALL=C.UTF-8
export LC_ALL
unset TMUX
on_server() { tmux -S "$folder/socket" -f /dev/null "$@"; }
screen() { on_server capture-pane -p -S -100 -t "$session" | sed -e 's/ *$//' -e '/^$/d'; }
shows() { wait_until "screen | grep -q -- '$1'"; }
# The whole screen, each line a pattern.
is() {
  seen=$(screen)
  for pattern in "$@"; do
    printf '%s\n' "$seen" | sed -n 1p | grep -qx -- "$pattern" || fail "not '$pattern': $(screen)"
    seen=$(printf '%s\n' "$seen" | sed 1d)
  done
  [ -z "$seen" ] || fail "more on the screen: $(screen)"
}
in_terminal() {
  session=$1
  printf '%s\necho "left with $?"\nexec sleep 1000\n' "$2" >"$session.sh"
  on_server new-session -d -s "$session" -x 80 -y 20 "${3:-bash} $PWD/$session.sh"
}
end_of_test() {
  ended_with=$?
  set +e
  [ "$ended_with" = 0 ] || screen | sed 's/^/progress: screen: /' >&2
  on_server kill-server 2>/dev/null
  (exit "$ended_with")
  clean_up
}
trap end_of_test EXIT
waits='atmost: waiting for enc: [1-9][a-z]* of [1-9]; held by [0-9]* sh for [0-9a-z]*'

# Alone: one line in place, which is gone when the command writes.
hold
in_terminal alone 'atmost run -w inf enc echo ran'
shows "$waits"
first=$(screen)
wait_until "[ \"\$(screen)\" != \"$first\" ]"
is "$waits"
let_go
shows 'left with'
is ran 'left with 0'

# It is gone when ^C ends the waiter, with what the terminal wrote behind it.
hold
in_terminal interrupted 'trap "echo caught" INT; atmost run -w inf enc echo ran'
shows "$waits"
on_server send-keys -t "$session" C-c
shows 'left with'
is caught 'left with 130'

# It is gone while ^Z stops the waiter, and comes back.
in_terminal stopped 'set -m; atmost run -w inf enc echo ran; echo stopped; read line <again; fg %%'
mkfifo again
shows "$waits"
on_server send-keys -t "$session" C-z
shows '^stopped$'
if screen | grep -q "$waits"; then fail "the line stays: $(screen)"; fi
echo >again
shows "$waits"
let_go
shows 'left with'
if screen | grep -q waiting; then fail "the line stays: $(screen)"; fi
[ "$(screen | tail -n 2)" = 'ran
left with 0' ] || fail "$(screen)"

# A narrower terminal: what is written from then on fits, and nothing is written over.
hold
in_terminal narrow 'echo before; atmost run -w inf enc echo ran'
shows "$waits"
on_server resize-window -t "$session" -x 40 -y 20
shows '^before$'
wait_until 'screen | tail -n 1 | grep -q "^atmost: waiting for enc: 1st of 1; hel"'
let_go
shows 'left with'
[ "$(screen | sed -n 1p)" = before ] || fail "$(screen)"
[ "$(screen | tail -n 2)" = 'ran
left with 0' ] || fail "$(screen)"

# Others write there: each line is whole. A writer that comes later counts, too.
hold
in_terminal shared 'sleep 1000 & atmost run -w inf enc echo ran'
shows "$waits"
let_go
shows 'left with'
is "$waits" ran 'left with 0'
hold
mkfifo come
in_terminal late 'atmost run -w inf enc echo ran & job=$!; read line <come; sleep 1000 & wait $job'
shows "$waits"
is "$waits"
echo >come
# The cursor is behind the live line, and below a whole one; a line that is gone leaves it above.
wait_until 'on_server display-message -p -t late "#{cursor_x} #{cursor_y}" | grep -qx "0 1"'
let_go
shows 'left with'
is "$waits" ran 'left with 0'

# Several at once, and their commands.
hold
in_terminal many 'for i in 1 2 3 4; do atmost run -w inf enc -- sh -c "sleep 0.1; echo job $i done" & done; wait'
wait_until "[ \"\$(screen | grep -cx '$waits')\" = 4 ]"
let_go
shows 'left with'
screen | grep -vx -e "$waits" -e 'job [1-4] done' -e 'left with 0' >mixed || :
expect_line 0 mixed
[ "$(screen | grep -c 'job [1-4] done')" = 4 ] || fail "$(screen)"

# A terminal that cannot go back in its line.
hold
in_terminal dumb 'TERM=dumb atmost run -w inf enc echo ran'
shows "$waits"
let_go
shows 'left with'
is "$waits" ran 'left with 0'
