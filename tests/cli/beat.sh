#!/bin/sh
# atmost beat reports that a silent command works.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "needs /proc"
unset ATMOST_BEAT

# A command that waits in silence, without starting a program, but for the beats.
waits='
import signal, subprocess, sys, time
def wait(seconds):
    time.sleep(seconds)
'
command -v python3 >/dev/null || skip "needs python3"

# The pause is announced: nothing moves for three times the limit.
expect_code 0 atmost run --max-idle 500ms build python3 -c "$waits
subprocess.run(['atmost', 'beat', '--eta', '30s'], check=True)
wait(1.5)"
# The next beat takes the announcement back.
expect_code 124 atmost run --max-idle 500ms build python3 -c "$waits
subprocess.run(['atmost', 'beat', '--eta', '1h', 'build'], check=True)
subprocess.run(['atmost', 'beat'], check=True)
wait(60)"
# Every half of the limit, from a session of its own and below a parent that waits for nothing.
expect_code 0 atmost run --max-idle 1s build python3 -c "$waits
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for i in range(5):
    subprocess.Popen(['atmost', 'beat'], start_new_session=True)
    wait(0.5)"
# Through an inner run that does not watch, and to both that do.
expect_code 0 atmost run --max-idle 500ms outer atmost run --max-idle 700ms inner \
  atmost run inmost sh -c 'atmost beat --eta 30s; exec sleep 2'
expect_code 124 atmost run --max-idle 500ms outer atmost run --max-idle 20s inner \
  sh -c 'atmost beat --eta 30s inner; exec sleep 20'

# The C library.
library=$ATMOST_BIN/../lib/libatmost.so.1
# With a sanitizer in it only a program that has the sanitizer, too, can load it.
if [ -e "$library" ] && ! grep -q __asan_init "$library"; then
  expect_code 0 atmost run --max-idle 500ms build python3 -c "$waits
import ctypes
beat = ctypes.CDLL('$library').atmost_beat
beat.argtypes = [ctypes.c_double]
assert beat(30) == 1 and beat(-1) == -1 and beat(1e9) == -1
wait(1.5)
for i in range(4):
    assert beat(0) == 1
    wait(0.3)"
  expect_code 0 atmost run build python3 -c "import ctypes
beat = ctypes.CDLL('$library').atmost_beat
beat.argtypes = [ctypes.c_double]
assert beat(30) == 0"
fi

# Without a watcher it prints nothing.
expect_code 0 atmost run build atmost beat
expect_code 0 atmost run build atmost beat -v build
expect_in err 'atmost: beat: nobody watches for silence here'
expect_code 1 atmost run build atmost beat other
expect_in err 'atmost: beat: other: not held around this process'
expect_code 1 atmost beat
expect_in err 'atmost: beat: this process is not inside a command of atmost run'
expect_code 64 atmost beat --eta inf
expect_in err 'atmost: --eta: use at most 24d'

# A process that is not below a supervisor cannot beat for it.
start atmost run --max-idle 1s --kill-grace 100ms build sh -c 'echo "$ATMOST_BEAT" >of; sleep 60; :'
wait_until '[ -s of ]'
ATMOST_BEAT=$(cat of)
export ATMOST_BEAT
expect_code 1 atmost beat --eta 1h
expect_in err 'atmost: beat: no supervisor can be reached from here'
expect_end 124 "$started"
