#!/bin/sh
# A lock file that is removed, renamed or replaced while it is held keeps nobody out any more: the
# supervisor reports that once and names it, and with --on-lost=stop the command is stopped.
. "$(dirname "$0")/lib.sh"

lose() {  # HOW: the change of the file, while the command waits for an order to go on
  rm -f lock go moved log
  : >new
  start sh -c 'exec atmost run --log log "$@" >out.held 2>err.held' sh ./lock -- sh -c 'until [ -e go ]; do sleep 0.02; done; exit 3'
  wait_until '[ "$(atmost check ./lock)" = 1 ]'
  eval "$1"
  expect_code 0 atmost run --no-history ./lock -- true  # beside it
  : >go
  expect_end 3 "$started"
  [ "$(grep -c 'lock file was removed or replaced' err.held)" = 1 ] || fail "$1: $(cat err.held)"
  expect_in err.held "warning: ./lock:"
  grep -q '"event":"lost"' log || fail "$1: the history does not tell: $(cat log)"
}
lose 'rm lock'
lose 'mv lock moved'
lose 'mv new lock'

# Also while the command runs on, when something wakes the supervisor.
rm -f lock go log
start sh -c 'exec atmost run --no-history ./lock -- sh -c "until [ -e go ]; do sleep 0.02; done" 2>err.held'
wait_until '[ "$(atmost check ./lock)" = 1 ]'
rm lock
kill -WINCH "$started"
wait_until 'grep -q "lock file was removed or replaced" err.held'
: >go
expect_end 0 "$started"
expect_line 1 err.held

# A path that cannot be examined just now proves nothing.
if [ "$(id -u)" != 0 ]; then
  mkdir shut
  start sh -c 'exec atmost run --no-history --on-lost=stop ./shut/lock -- sleep 1.5 2>err.held'
  wait_until '[ "$(atmost check ./shut/lock)" = 1 ]'
  chmod 0 shut
  expect_end 0 "$started"
  chmod 700 shut
  expect_line 0 err.held
fi

# There is no message about a file that is still there.
rm -f lock log
expect_code 0 atmost run --log log ./lock -- true
expect_line 0 err
grep -q '"event":"lost"' log && fail "lost, but it is still there"

# The command is stopped: by a look once a second.
rm -f lock log
start sh -c 'exec atmost run --log log --on-lost=stop ./lock -- sleep 600 2>err.held'
wait_until '[ "$(atmost check ./lock)" = 1 ]'
rm lock
expect_end 79 "$started"
expect_in err.held "./lock: the lock file was removed or replaced"
grep -q '"stopped":"lost"' log || fail "$(cat log)"
expect_code 64 atmost run --exec --on-lost=stop ./lock -- true
expect_in err "--on-lost"
