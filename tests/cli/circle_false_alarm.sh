#!/bin/sh
# Callers that look as if they waited for one another, of which one is at work: nobody is refused.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "other processes cannot be seen in a POSIX-only build"
command -v python3 >/dev/null || skip "needs python3"

# Each case has two locks of its own. The first is held by a command that waits for the second in
# the background, and does something else itself; the second by one that waits for the first.
cases=
case_of() { # NAME COMMAND...
  name=$1 && shift
  cases="$cases $name"
  start atmost run --no-history --until=main "$name-a" sh -c '
    until [ "$(atmost check "$0-b")" = 1 ]; do sleep 0.02; done
    exec "$@"' "$name" "$@"
}
inner() { # NAME: the holder of the second lock
  start atmost run --no-history "$1-b" sh -c '
    until atmost list "$1-b" | grep -q waiting; do sleep 0.02; done
    code=0
    atmost run --no-history -w inf "$1-a" true 2>"err.$1" || code=$?
    echo $code >"code.$1"' - "$1"
}
for name in sleeps polls serves computes threads; do inner $name; done

cat >parent.py <<'END'
import os, select, socket, subprocess, sys, threading, time
how, name = sys.argv[1:]
waiter = subprocess.Popen(["atmost", "run", "--no-history", "-q", "-w", "inf", name + "-b", "true"])
end = time.monotonic() + 5
if how == "sleeps":
    time.sleep(5)
elif how == "polls":
    poll = select.poll()
    poll.register(os.pipe()[0])
    poll.poll(5000)
elif how == "serves":
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
    server.settimeout(5)
    try:
        server.accept()
    except OSError:
        pass
elif how == "computes":
    while time.monotonic() < end:
        pass
elif how == "threads":
    threading.Timer(5, waiter.terminate).start()
    waiter.wait()
open("went_on." + name, "w").close()
os._exit(0)
END
for name in sleeps polls serves computes threads; do case_of $name python3 parent.py $name $name; done

# A hold that sleeps: what waits is not below it.
start atmost run --no-history plain sleep 5
start atmost run --no-history outer sh -c '
  until [ "$(atmost check plain)" = 1 ]; do sleep 0.02; done
  atmost run --no-history -w inf plain true'
plain=$started
# A shell with a job beside the waiter; a program with a timer that ends it.
inner job
case_of job sh -c 'atmost run --no-history -q -w inf job-b true & sleep 5 && touch went_on.job'
inner timer
case_of timer sh -c 'timeout 5 atmost run --no-history -q -w inf timer-b true; touch went_on.timer'

for name in $cases; do
  wait_until "[ -e code.$name ]" 60
  [ "$(cat "code.$name")" = 0 ] || fail "$name: $(cat "err.$name")"
  [ -e "went_on.$name" ] || fail "$name was not at work"
  expect_line 0 "err.$name"
done
expect_end 0 "$plain"
for pid in $started_all; do expect_end 0 "$pid"; done
