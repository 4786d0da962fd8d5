#!/bin/sh
# A supervisor that is killed in the midst of a release leaves the guard to nobody: the next
# caller learns at once that the slot is held, and is admitted when the processes that the command
# left behind have ended.
. "$(dirname "$0")/lib.sh"

# The inheritance of a command from the lock file: the description that has the slot, and no other.
if [ -d /proc/self/fd ] && [ ! "${ATMOST_PORTABLE-}" ]; then
  has() {  # COUNT OPTION...
    count=$1
    shift
    expect_code 0 atmost run --no-history "$@" ./lock -- ls -l /proc/self/fd
    [ "$(grep -c "$PWD/lock" out)" = "$count" ] || fail "$*: $(cat out)"
    # Under a number that no script uses by hand.
    [ -z "$(sed -n "s|.* \([0-9]*\) -> $PWD/lock$|\1|p" out | awk '$1 < 200')" ] ||
      fail "$*: $(cat out)"
  }
  has 1
  has 1 --until=tree
  has 1 --exec
  has 0 --close
  # If other users may write the file, the supervisor's descriptor keeps its number.
  (umask 0; : >shared; chmod 666 shared)
  expect_code 0 atmost run --no-history ./shared -- ls -l /proc/self/fd
  [ "$(grep -c "$PWD/shared" out)" = 1 ] || fail "shared: $(cat out)"
  [ "$(sed -n "s|.* \([0-9]*\) -> $PWD/shared$|\1|p" out)" -ge 200 ] || fail "shared: $(cat out)"
fi

command -v strace >/dev/null || skip "there is no strace"
strace -o /dev/null true 2>/dev/null || skip "nothing may be traced here"

# At each write of an admission and of a release in turn.
held=0
for nth in 1 2 3 4 5 6 7 8; do
  rm -f lock daemon
  strace -o /dev/null -e trace=pwrite64 -e inject=pwrite64:signal=KILL:when=$nth \
    atmost run --no-history ./lock -- sh -c 'sleep 600 >/dev/null 2>&1 & echo $! >daemon' 2>err || :
  code=0
  atmost run --json ./lock -- true 2>err || code=$?
  if [ $code = 75 ]; then
    held=$((held + 1))
    expect_in err '"reason":"no_slot"'
  elif [ $code != 0 ]; then
    fail "killed at write $nth, and the next one ends with $code: $(cat err)"
  fi
  if [ -e daemon ]; then kill -KILL "$(cat daemon)"; fi
  expect_code 0 atmost run -w 10 ./lock -- true
done
[ "${ATMOST_PORTABLE-}" ] || [ "$held" -ge 2 ] || fail "the supervisor was never killed in a release: this proves nothing"
