#!/bin/sh
# A server that hangs, refuses, answers 500, trickles or redirects delays neither the slot nor
# atmost, and the history has the undelivered ping.
server=$(cd "$(dirname "$0")" && pwd)/ping_server.py
. "$(dirname "$0")/lib.sh"
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY ATMOST_PING
export no_proxy='*'
python3 -c '' 2>/dev/null || skip "no python3"
start python3 "$server" port log
wait_until '[ -s port ]'
url=http://127.0.0.1:$(cat port)

python3 - "$url" <<'PY'
import os, statistics, subprocess, sys, time

def median(*options):
    took = []
    for _ in range(15):
        begin = time.monotonic()
        assert subprocess.run(["atmost", "run", *options, "timed", "true"]).returncode == 0
        took.append(time.monotonic() - begin)
        assert subprocess.run(["atmost", "check", "timed"], capture_output=True, text=True).stdout == "0\n"
    return statistics.median(took)

url = sys.argv[1]
without = median("--no-history")
for kind in ("hang", "500", "trickle"):
    delay = median("--no-history", "--ping", f"{url}/{kind}/x") - without
    # Two starts of a program; on a machine at rest 3 ms. Far more means that somebody waited.
    print(f"{kind}: {delay * 1000:.1f} ms")
    assert delay < 0.25, (kind, delay)
PY

expect_trouble() {
  name=$1
  words=$2
  shift 2
  expect_code 0 atmost run --ping "$@" "$name" true
  wait_until 'atmost history --event undelivered '"$name"' | grep -q "ping: '"$words"'"' 30
}
expect_trouble refused '.*onnect' http://127.0.0.1:1/x &
refused=$!
expect_trouble wrong 'the server answered 500' "$url/500/x" &
wrong=$!
expect_trouble stuck 'Timeout was reached' "$url/trickle/x" &
stuck=$!
expect_trouble silent 'Timeout was reached' "$url/hang/x" &
silent=$!
expect_trouble redirected 'the server redirects to http' "$url/http/x"
! grep -q redirected log || fail "it followed a redirect to http"
expect_trouble loop 'the server redirects to http' "$url/loop/x"
wait $refused && wait $wrong && wait $stuck && wait $silent

# An endless answer, and trouble that passes, do not count as failures.
for kind in long once; do
  expect_code 0 atmost run --ping "$url/$kind/y" "$kind" true
  wait_until 'grep -q "/'$kind'/y/0" log'
done
sleep 0.5
[ "$(atmost history --json --event undelivered long once | wc -l)" = 0 ] || fail "$(atmost history)"

# A certificate that nobody has signed.
if openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=127.0.0.1 -days 2 -keyout key -out cert 2>/dev/null; then
  cat key cert >both
  start python3 "$server" tls_port tls_log both
  wait_until '[ -s tls_port ]'
  expect_trouble forged '.*\(certificate\|peer\)' "https://127.0.0.1:$(cat tls_port)/ok/x"
  [ ! -s tls_log ] || fail "it spoke to an unknown server"
fi
