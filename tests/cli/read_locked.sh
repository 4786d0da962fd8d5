#!/bin/sh
# Somebody who may only read a lock file locks its slot, or the guard, for reading: the message
# reports that, and not the name of a process that held it before.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "no python3"
[ -z "${ATMOST_PORTABLE-}" ] || skip "POSIX shows nobody's locks"

expect_code 0 atmost run --no-history --id before ./job.lock true
chmod 644 job.lock
reader() { # COMMAND BYTE LENGTH
  rm -f ready
  start python3 -c '
import fcntl, os, struct, sys, time
file = os.open("job.lock", os.O_RDONLY)
command = fcntl.F_OFD_SETLK if sys.argv[1] == "description" else fcntl.F_SETLK
fcntl.fcntl(file, command, struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, int(sys.argv[2]), int(sys.argv[3]), 0))
open("ready", "w").write(str(os.getpid()))
time.sleep(100)' "$@"
  wait_until '[ -s ready ]'
  reader_pid=$(cat ready)
}

reader process 8 1
expect_code 0 atmost list ./job.lock
expect_in out "read-locked"
expect_in out "$reader_pid"
if grep -q before out; then fail "the name of somebody before"; fi
expect_code 75 atmost run --no-history ./job.lock true
expect_in err "the read lock of $reader_pid"
expect_code 77 atmost run --no-history --expire-after 0 ./job.lock true
expect_in err "process $reader_pid has a read lock on it"
expect_code 77 atmost kill ./job.lock
kill "$reader_pid"
wait_until '! kill -0 "$reader_pid" 2>/dev/null'

reader description 8 1
expect_code 0 atmost list ./job.lock
expect_in out "read-locked"
if grep -q before out; then fail "the name of somebody before"; fi
expect_code 75 atmost run --no-history ./job.lock true
expect_in err "the read lock of an unknown process, which atmost explain shows"
expect_code 77 atmost kill ./job.lock
expect_in err "an unknown process (atmost explain shows which) has a read lock on it"
expect_code 0 atmost explain ./job.lock
expect_in out "process $reader_pid"
expect_in out "for reading"
kill -0 "$reader_pid" || fail "the reader was stopped"
kill "$reader_pid"
wait_until '! kill -0 "$reader_pid" 2>/dev/null'

reader description 0 8
expect_code 75 atmost run --no-history ./job.lock true
expect_in err "by process $reader_pid"
