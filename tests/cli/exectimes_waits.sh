#!/bin/sh
# exectimes waits for the file's mutex as long as it takes, as the original does; a signal ends the
# wait.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip "no python3 to lock the mutex with"
exectimes ./file 1 true
mkfifo hold
# shellcheck disable=SC2016  # python's
start python3 -c '
import fcntl, os
f = open("file", "r+b")
fcntl.lockf(f, fcntl.LOCK_EX, 8, 0)
open("locked", "w").close()
open("hold").read()'
holder=$started
wait_until '[ -e locked ]'

start exectimes ./file 1 true
waiter=$started
start exectimes ./file 1 true
interrupted=$started
# Longer than anything of ours waits for the guard.
passed() { awk -v since="$since" '{ exit !($1 > since + 6) }' /proc/uptime; }
since=$(cut -d' ' -f1 /proc/uptime)
wait_until passed 60
kill -0 "$waiter" || fail "it has given up"
kill -TERM "$interrupted"
expect_end 143 "$interrupted"
: >hold
expect_end 0 "$waiter"
expect_end 0 "$holder"
