#!/bin/sh
# history, stats, jobs and report take --since today, yesterday, a day of the week or a time of day;
# bad input gets one line.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-jobs" ] || skip "built without the back tier"

TZ=UTC
export TZ
midnight=$(($(date +%s) / 86400 * 86400))
day=$(date +%a | tr '[:upper:]' '[:lower:]')
line() {
  printf '{"v":1,"event":"denied","at":%s.000000,"lock":"%s","path":"/none/%s.lock","why":"no_slot"}\n' "$1" "$2" "$2"
}
{
  line $((midnight - 86401)) older
  line $((midnight - 86400)) yesterday
  line $((midnight - 1)) yesterday
  line $midnight today
} >locks/history.jsonl

locks_since() { atmost stats --since "$1" --json | sed 's/.*"lock":"\([a-z]*\)".*/\1/' | sort | tr '\n' ' '; }
[ "$(locks_since today)" = 'today ' ] || fail "today: $(locks_since today)"
[ "$(locks_since yesterday)" = 'today yesterday ' ] || fail "yesterday: $(locks_since yesterday)"
[ "$(locks_since "$day")" = 'today ' ] || fail "$day: $(locks_since "$day")"
[ "$(locks_since 00:00)" = 'today ' ] || fail "00:00: $(locks_since 00:00)"
for command in history stats jobs report; do
  for when in today yesterday mon 08:00; do expect_code 0 atmost $command --since $when; done
  expect_code 64 atmost $command --since yesterdy
  expect_line 1 err
  expect_in err 'atmost: --since: "yesterdy" is not a moment: use a duration ago (90m, 2d), today, yesterday, mon, 08:00'
  expect_in err 'did you mean yesterday?'
done
[ "$(atmost history --until today --json | wc -l)" = 3 ] || fail "--until today"

# A moment in the future would show nothing, without a message.
for command in history stats jobs report; do
  expect_code 64 atmost $command --since 2033-01-01
  expect_line 1 err
  expect_in err 'atmost: --since: "2033-01-01" is in the future'
done
expect_code 0 atmost history --since 00:00 --until 2033-01-01
