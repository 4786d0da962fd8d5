#!/bin/sh
# Every program that writes JSON writes JSON that a parser reads back, for any bytes of a lock's
# path, id or command.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "needs python3"

# Quote, backslash, newline, ESC, DEL, U+2028, markup and a byte that is not UTF-8.
name=$(printf 'q"b\\ \nl\033e\177d\342\200\250u<&>\377x_')
name=${name%_}
mkdir "$name"
lock=$name/lock

# valid FILE FIELD...: each line of it is an object, and there is at least one; the text of each
# FIELD comes back in some line, the byte that is not UTF-8 as U+FFFD.
valid() {
  python3 - "$@" <<'EOF' || fail "no JSON in $1: $(cat "$1")"
import json, sys
lines = open(sys.argv[1], encoding="utf-8", newline="\n").read().split("\n")
objects = [json.loads(line) for line in lines if line]
assert objects
for field in sys.argv[2:]:
    texts = [one[field] for one in objects if field in one]
    assert any(text.startswith('q"b\\ \nl\x1be\x7fd\u2028u<&>\ufffdx') for text in texts), texts
EOF
}

cp /bin/sleep "$name/$name"
start atmost run --json --id "$name" "$lock" "$name/$name" 100
job=$started
wait_until 'atmost list --json "$lock" | grep -q held'
expect_code 0 atmost list --json "$lock"
valid out lock id command
expect_code 75 atmost run --json "$lock" true
valid err lock
expect_code 75 atmost run --json --status-fd 1 "$lock" true
valid out lock
expect_code 0 atmost check --json "$lock"
valid out lock
if [ -z "${ATMOST_PORTABLE-}" ]; then
  expect_code 0 atmost kill --json --kill-grace 1s "$lock"
  valid err lock id command
else
  kill "$job"
fi
wait "$job" || :
expect_code 0 atmost history --json
valid out lock id command
expect_code 0 atmost stats --json
valid out lock
expect_code 0 atmost tune --json "$lock"
valid out lock
expect_code 1 atmost release --json --for-pid 1 "$lock"
valid out lock
atmost doctor --json "$name" >out 2>err || :
valid out
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || exit 0 # built without toml++
cat >pass.toml <<'EOF'
[[atom]]
operator = "copy"
operand = "q\"b\\ \nl\u001be"
command = ["true"]
EOF
chmod 600 pass.toml
expect_code 0 atmost pass --json pass.toml
valid out
expect_in out 'copy:q\"b\\ \nl\u001be'
