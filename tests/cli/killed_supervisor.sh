#!/bin/sh
# kill -9 of a supervisor ends its --max-runtime, too. Its command keeps the slot, but not longer
# than that: then the next `run` and `kill --overdue` stop what is left. `list` and `check` stop
# nothing.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "nobody can be taken over from"

# kept LOCK OPTION...: a command without its supervisor; its number is in $command.
kept() {
  lock=$1
  shift
  rm -f up
  start atmost run "$@" --id kept "$lock" -- sh -c 'echo $$ >up; exec sleep 60 >/dev/null 2>&1'
  wait_until '[ -s up ]'
  command=$(cat up)
  wait_until 'atmost list "$lock" | grep -q kept'
  kill -KILL "$started"
  wait "$started" 2>/dev/null || :
}
# Gone, or waited for by nobody.
gone() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status"; }
later="--now $(($(date +%s) + 3600))"

# shellcheck disable=SC2086
{
  kept job --max-runtime 1m
  # Not yet.
  expect_code 75 atmost run job true
  expect_code 0 atmost kill --overdue job
  if gone "$command"; then fail "it was stopped too early"; fi

  # An hour later. Commands that only show it change nothing.
  expect_code 0 atmost check -n 1 $later job
  expect_code 0 atmost list job
  expect_in out kept
  if gone "$command"; then fail "it was stopped by a question"; fi
  kill -KILL "$command"
}

# Without --max-runtime the command goes on.
kept unlimited
expect_code 75 atmost run unlimited true
if gone "$command"; then fail "it had no limit"; fi
kill -KILL "$command"

# When the time has come.
kept short --max-runtime 300ms
wait_until 'atmost list short | grep -q overdue'
atmost list --json short >row
expect_in row '"expires_s":-'
if gone "$command"; then fail "list stopped it"; fi
expect_code 0 atmost run --kill-grace 200ms short true
gone "$command" || fail "the old command runs beside the new one"
expect_in err ', as its --max-runtime is over and its supervisor was killed: it ended by SIG'
atmost history --json --event stopping short >told
expect_line 1 told
expect_in told '"why":"unsupervised",'

# A waiter, too; and kill --overdue.
kept short --max-runtime 300ms
expect_code 0 atmost run -w 50s --kill-grace 200ms short true
gone "$command" || fail "it runs beside the waiter's command"
kept short --max-runtime 300ms
wait_until 'atmost list short | grep -q overdue'
expect_code 0 atmost kill --overdue --kill-grace 200ms short
gone "$command" || fail "kill --overdue left it"

# A supervisor that lives stops its command itself; others do not.
start atmost run --max-runtime 10m --id alive held -- sleep 60
wait_until 'atmost list held | grep -q alive'
# shellcheck disable=SC2086
expect_code 75 atmost run $later held true

# A file that several users may write proves no limit.
: >open
chmod 666 open
kept ./open --max-runtime 300ms
sleep 0.4
expect_code 75 atmost run ./open true
kill -KILL "$command"
