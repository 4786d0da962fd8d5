#!/bin/sh
# --ping requests a URL at start and end of a run, in the protocol of healthchecks.io. The URL is
# a secret.
server=$(cd "$(dirname "$0")" && pwd)/ping_server.py
. "$(dirname "$0")/lib.sh"
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY ATMOST_PING
export no_proxy='*'
python3 -c '' 2>/dev/null || skip "no python3"
start python3 "$server" port log
wait_until '[ -s port ]'
url=http://127.0.0.1:$(cat port)

# The requests of a run, as "METHOD PATH" for each, when there are two.
requests() {
  wait_until '[ -e log ] && [ "$(wc -l <log)" -ge 2 ]'
  python3 - <<'PY'
import json, re
lines = [json.loads(line) for line in open("log")]
ids = {line["query"] for line in lines}
assert len(ids) == 1, ids
assert re.fullmatch("(a=b&)?rid=[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", ids.pop())
print(*(line["method"] + line["path"] for line in lines), sep=" ")
PY
  rm log
}
expect_requests() {
  got=$(requests)
  [ "$got" = "$1" ] || fail "$got instead of $1"
}

expect_code 0 atmost run --ping "$url/ok/secret" job true
expect_requests 'POST/ok/secret/start POST/ok/secret/0'
expect_code 7 atmost run --ping "$url/ok/secret/?a=b" job sh -c 'exit 7'
expect_requests 'POST/ok/secret/start POST/ok/secret/7'
expect_code 124 atmost run --ping "$url/ok/secret" --max-runtime 100ms job sleep 60
expect_requests 'POST/ok/secret/start POST/ok/secret/124'
expect_code 127 atmost run --ping "$url/ok/secret" job no-such-program
expect_requests 'POST/ok/secret/start POST/ok/secret/127'
# By a file, and by a variable, which the command does not get.
echo "$url/ok/secret" >url
expect_code 0 atmost run --ping @url job true
expect_requests 'POST/ok/secret/start POST/ok/secret/0'
expect_code 0 env ATMOST_PING="$url/ok/secret" atmost run job env
expect_requests 'POST/ok/secret/start POST/ok/secret/0'
! grep -q secret out || fail "the command got the URL"
# Each failure pings, independently of --alert-after.
expect_code 1 atmost run --alert-after 3 --ping @url job false
expect_requests 'POST/ok/secret/start POST/ok/secret/1'

# The end of the output, any bytes, with --ping-output only. POSIX alone cannot keep output.
if [ -z "${ATMOST_PORTABLE-}" ]; then
  cat >says <<'SH'
printf '%s\033[31m\n&rid=x' '$(touch hacked)`touch hacked`"'
exit 1
SH
  expect_code 1 atmost run --output=on-failure --ping-output --ping @url job sh says
  wait_until '[ -e log ] && [ "$(wc -l <log)" -ge 2 ]'
  python3 - <<'PY'
import json
first, last = (json.loads(line)["body"] for line in open("log"))
assert first == "" and last == "$(touch hacked)`touch hacked`\"\x1b[31m\n&rid=x", (first, last)
PY
  rm log
  [ ! -e hacked ] || fail "a shell has seen the output"
  expect_code 1 atmost run --output=on-failure --ping @url job sh -c 'echo private; exit 1'
  wait_until '[ -e log ] && [ "$(wc -l <log)" -ge 2 ]'
  ! grep -q private log || fail "output was sent unasked"
  rm log
fi

# Lists of processes, messages and the history do not contain the URL.
start atmost run --ping "$url/hang/secret" --notify 'sleep 2' other sh -c 'sleep 1; exit 3'
wait_until '[ -s log ]'
for process in /proc/[0-9]*; do
  [ "$process" != /proc/$$ ] || continue
  ! { tr '\0' ' ' <"$process/cmdline"; } 2>/dev/null | grep -q 'hang/secret' ||
    fail "$(tr '\0' ' ' <"$process/cmdline") shows it"
done
wait "$started" || :
rm log
expect_code 1 atmost run -v --log-args --ping "$url/404/secret" told false
! grep -q secret out err || fail "a message shows it"
wait_until '[ "$(atmost history --json --event undelivered told | wc -l)" = 2 ]'
atmost history told | grep -q 'undelivered.*ping: the server answered 404' || fail "$(atmost history)"
! atmost history --json | grep secret || fail "the history shows it"

expect_code 64 atmost run --exec --ping "$url" job true
expect_code 64 atmost run --ping ftp://secret job true
! grep -q secret err || fail "$(cat err)"
expect_code 64 atmost run --ping "$url" --ping-output job true
expect_code 64 env ATMOST_PING=secret atmost run job true
! grep -q secret err || fail "$(cat err)"
expect_code 64 atmost run --ping @missing job true
expect_in err '--ping: cannot read missing: No such file'
