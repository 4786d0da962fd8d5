#!/bin/sh
# A holder whose main thread has ended runs on in its other threads: it is found and stopped.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "POSIX only: no process is looked at"
python3 -c 'import ctypes' 2>/dev/null || skip "no python3"

cat >program.py <<'END'
import ctypes, pathlib, threading, time

def work():
    while pathlib.Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
        time.sleep(0.01)
    pathlib.Path("main_has_ended").touch()
    time.sleep(1000)

threading.Thread(target=work).start()
ctypes.CDLL(None).pthread_exit(None)
END
start atmost run --exec --no-history ./lock python3 program.py
wait_until '[ -e main_has_ended ]'
expect_code 0 atmost list --json ./lock
expect_in out '"verified":true'
expect_code 0 atmost kill ./lock
expect_code 0 atmost run --no-history ./lock true
