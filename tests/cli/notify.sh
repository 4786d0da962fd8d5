#!/bin/sh
# --notify runs a command for the ends that --notify-on names, with the event in variables and on
# standard input, whatever bytes are in it.
. "$(dirname "$0")/lib.sh"

told() { atmost run --notify 'printf "%s %s\n" "$ATMOST_EVENT" "$ATMOST_CODE" >>events.new; mv events.new events' "$@"; }
expect_event() {
  wait_until '[ -e events ]'
  [ "$(cat events)" = "$1" ] || fail "$(cat events) instead of $1"
  rm events
}

# By default: failures, stopped commands, and the first success after one.
expect_code 3 told job sh -c 'exit 3'
expect_event 'failure 3'
expect_code 127 told job no-such-program
expect_event 'failure 127'
expect_code 124 told --max-runtime 100ms job sleep 60
expect_event 'killed 124'
expect_code 1 told --min-runtime 1h job true
expect_event 'too-fast 1'
expect_code 137 sh -c 'atmost run --notify "echo \$ATMOST_EVENT \$ATMOST_CODE >e; mv e events" job sh -c "kill -KILL \$\$"; exit $?'
expect_event 'killed 137'
expect_code 0 told job true
expect_event 'recovered 0'
# None of a success, nor of a refusal; --notify-on asks for others.
expect_code 0 told job true
expect_code 75 told -n 0 job true
expect_code 4 told --notify-on killed,too-fast job sh -c 'exit 4'
expect_code 1 told --notify-on too-fast --min-runtime 1h job true
expect_event 'too-fast 1'
expect_code 0 told --notify-on every fresh true
expect_event 'success 0'
[ "$(atmost history --json --event undelivered | wc -l)" = 0 ] || fail "$(atmost history)"

# Spam is told once, by a line and by the command, when requests begin to be that.
i=0
while [ $i -lt 6 ]; do
  expect_code 0 atmost run --now $((1700000000 + i * 3600)) --if-elapsed auto hourly true
  i=$((i + 1))
done
for second in 10 20 30 40 50; do
  expect_code 76 told --notify-on spam --now $((1700018000 + second)) --if-elapsed auto hourly true
  if [ "$second" = 20 ]; then
    expect_in err 'hourly: spam: requests keep coming sooner than every '
    expect_event 'spam 76'
  elif grep -q 'spam' err; then
    fail "told again: $(cat err)"
  fi
done

# The event's content is seen by no shell and obeyed by no terminal.
nasty='$(touch hacked)`touch hacked`"'\''; touch hacked
'$(printf '\033')'[31m \ %s'
expect_code 1 atmost run --id "$nasty" --notify 'cat >seen; printf %s "$ATMOST_LOCK" >lock; : >done' \
  "./$nasty" false
wait_until '[ -e done ]'
[ ! -e hacked ] || fail "a shell has seen the name"
[ "$(cat lock)" = "./$nasty" ] || fail "$(cat lock)"
python3 - "$nasty" <<'PY'
import json, sys
text = open("seen", "rb").read()
assert text.count(b"\n") == 1 and b"\x1b" not in text, text
event = json.loads(text)
assert event["notify"] == "failure" and event["exit"] == 1, event
assert event["id"] == sys.argv[1].encode()[:63].decode(), event
assert event["lock"] == "./" + sys.argv[1], event
PY

# A message that was not delivered is in the history.
expect_code 1 atmost run --notify 'exit 5' broken false
wait_until 'atmost history broken | grep -q "undelivered.*notify: the command exited with 5"'

expect_code 64 atmost run --exec --notify true job true
expect_code 64 atmost run --notify '' job true
expect_code 64 atmost run --notify-on failure job true
expect_code 64 atmost run --notify true --notify-on failure,sometimes job true
