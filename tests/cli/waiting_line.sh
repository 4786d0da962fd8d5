#!/bin/sh
# A waiter in a terminal's foreground shows who holds the lock and its place in the queue; the line
# is gone when it is admitted. In a pipe, with -q or in the background it shows nothing.
# progress.sh looks at the screen.
. "$(dirname "$0")/lib.sh"

command -v script >/dev/null || skip "no script(1)"
[ -z "${ATMOST_PORTABLE-}" ] || skip "a look would give up the locks of a process"
TERM=xterm
export TERM
mkfifo go
start atmost run --id 'a note' enc sh -c 'read line <go'
wait_until '[ "$(atmost check enc)" = 1 ]'
start script -qfc 'stty cols 200; atmost run -w inf enc echo ran' screen
waiter=$started
wait_until 'grep -q "waiting for enc: 1st of 1; held by [0-9]* sh \"a note\" for [1-9]" screen'
script -qfc 'atmost run -q -w 1500ms enc echo ran' quiet >/dev/null || :
script -qfc 'set -m; atmost run -w 1500ms enc echo ran & wait' background >/dev/null || :
atmost run -w 1500ms enc echo ran >pipe 2>&1 || :
for file in quiet background pipe; do
  if grep -q 'waiting for' "$file"; then fail "$file: $(cat "$file")"; fi
done
echo >go
expect_end 0 "$waiter"
# The last thing before the command's own words is the removal of the line.
tr '\r\033' 'RE' <screen >plain
grep -q 'RE\[Kran' plain || fail "the line stays: $(cat -v screen)"
