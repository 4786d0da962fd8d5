#!/bin/sh
# Another program's lock on a range of a lock file is one holder: looked for once, named, never
# stopped, waited for within -w.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "no python3"
[ -z "${ATMOST_PORTABLE-}" ] || skip "POSIX shows nobody's locks"

expect_code 0 atmost run --no-history -n 4 -k 4 --id before ./job.lock true
chmod 644 job.lock
foreign() { # process|description r|w START LENGTH; its pid in $foreign, it ends with let_go
  rm -f ready
  start python3 -c '
import fcntl, os, struct, sys, time
kind = fcntl.F_WRLCK if sys.argv[2] == "w" else fcntl.F_RDLCK
file = os.open("job.lock", os.O_RDWR)
command = fcntl.F_OFD_SETLK if sys.argv[1] == "description" else fcntl.F_SETLK
fcntl.fcntl(file, command, struct.pack("hhqqi4x", kind, 0, int(sys.argv[3]), int(sys.argv[4]), 0))
open("made", "w").write(str(os.getpid()))
os.rename("made", "ready")
time.sleep(1000)' "$@"
  foreign=$started
  wait_until '[ -s ready ]'
}
let_go() {
  kill -0 "$foreign" || fail "the other program was stopped"
  kill "$foreign"
  expect_end 143 "$foreign"
}
soon() { # CODE COMMAND...: well before the guard's five seconds, on a slow machine, too
  code=$1
  shift
  expect_code "$code" timeout -s KILL 4 "$@"
}

# All slots, or the guard alone.
for lock in 'process w 0 0' 'process r 8 0' 'description w 8 0' 'description r 0 0' 'process w 3 0' \
  'process w 0 1' 'description r 0 1'; do
  # shellcheck disable=SC2086  # four words
  foreign $lock
  who="process $foreign (python3), which is not atmost"
  case $lock in
    *' 0 1') words="locked in part by $who" ;;
    *) words="held whole by $who" ;;
  esac
  soon 75 atmost run --no-history ./job.lock true
  expect_line 1 err
  expect_in err "$words"
  soon 75 atmost run --no-history --expire-after 0 ./job.lock true
  soon 75 atmost run --no-history -w 300ms ./job.lock true
  expect_in err "$words; waited "
  soon 75 atmost check -n 1 ./job.lock
  expect_in err "$words"
  soon 0 atmost explain ./job.lock
  expect_in out "process $foreign (python3"
  expect_in out "not atmost's"
  [ "$(wc -c <out)" -lt 2000 ] || fail "$(wc -c <out) bytes of explanation"
  case $lock in
    *' 0 1') ;;
    *)
      soon 0 atmost list ./job.lock
      expect_line 2 out
      expect_in out "$foreign"
      soon 0 atmost list --json ./job.lock
      expect_line 1 out
      expect_in out '"slots":262144'
      soon 0 atmost check ./job.lock
      [ "$(cat out)" = 1 ] || fail "$(cat out) holders"
      soon 75 atmost kill ./job.lock
      expect_in err "$words"
      ;;
  esac
  # Waited for, and never stopped.
  start atmost run --no-history -w inf --expire-after 0 ./job.lock true
  let_go
  expect_end 0 "$started"
done

foreign process w 0 0
soon 0 atmost run --no-history --on-busy=skip ./job.lock true
expect_line 0 err
soon 75 atmost run --no-history --exclusive ./job.lock true
soon 75 atmost run --no-history -n 100000 ./job.lock true
soon 75 atmost run --no-history --on-busy=replace ./job.lock true
soon 75 atmost check --succeeded-within 1h ./job.lock
let_go

# Some slots: counted as they are, shown as one.
for owner in process description; do
  foreign $owner w 8 3
  soon 0 atmost list ./job.lock
  expect_line 2 out
  grep -q "[[:space:]]1-3[[:space:]]" out || fail "no slots 1-3"
  expect_in out "$foreign"
  soon 75 atmost run --no-history -n 3 ./job.lock true
  expect_in err "$foreign python3, which is not atmost"
  soon 75 atmost run --no-history -n 3 --expire-after 0 ./job.lock true
  expect_in err "$foreign"
  soon 75 atmost kill ./job.lock
  soon 75 atmost kill --slot 2 ./job.lock
  soon 75 atmost kill --dry-run ./job.lock
  soon 0 atmost run --no-history -n 4 ./job.lock true
  start atmost run --no-history -n 4 ./job.lock sleep 100
  wait_until '[ "$(atmost check ./job.lock)" = 2 ]'
  soon 75 atmost kill --kill-grace 100ms ./job.lock
  [ "$(atmost check ./job.lock)" = 1 ] || fail "the holder of ours was not stopped"
  started_all=${started_all%" $started"}
  start atmost run --no-history -n 1 -w inf ./job.lock true
  wait_until 'atmost list ./job.lock | grep -q waiting'
  let_go
  expect_end 0 "$started"
done

# A hold of several slots of ours stays several rows, and can be stopped.
start atmost run --no-history -n 4 -k 3 ./job.lock sleep 100
wait_until '[ "$(atmost check ./job.lock)" = 3 ]'
soon 0 atmost kill --kill-grace 100ms ./job.lock
started_all=${started_all%" $started"}

# A program that has started us never ends while it waits for us.
cat >around.py <<'E2'
import fcntl, subprocess, sys
file = open("job.lock", "r+")
fcntl.lockf(file, fcntl.LOCK_EX)
sys.exit(subprocess.run(sys.argv[1:]).returncode)
E2
soon 75 python3 around.py atmost run --no-history -w inf ./job.lock true
expect_in err "you hold it yourself"
