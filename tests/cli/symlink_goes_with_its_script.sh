#!/bin/sh
# A symlink lock that a script holds goes when the script ends, however that ends; nothing stays
# behind, and nobody else's lock is removed.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "no process can be watched here"
lock_unlock_sh=$(cd "$(dirname "$0")/../../shell" && pwd)/lock_unlock.sh
ATMOST_STORE=symlink:
export ATMOST_STORE lock_unlock_sh

# The number of processes with this folder's $1 in their command line (grep's own lacks it).
keepers() {
  echo "$folder/$1" >pattern
  grep -alsF -f pattern /proc/[0-9]*/cmdline | wc -l
}
nothing_left() { [ -z "$(find . -name "$1*")" ]; }

cat >job <<'END'
. "$lock_unlock_sh"
lock_unlock action=lock name="$PWD/$1"
: >"locked.$1"
case $2 in
  end) exit 3 ;;
  unlock) lock_unlock action=unlock name="$PWD/$1"; : >"unlocked.$1" ;;
esac
exec sleep 60
END

expect_code 3 sh job ended end
wait_until 'nothing_left ended'
wait_until '[ "$(keepers ended)" = 0 ]'

start sh job killed stay
wait_until '[ -e locked.killed ]'
[ -L killed ] || fail "no link"
kill -KILL "$started"
expect_end 137 "$started"
wait_until 'nothing_left killed'

# A lock that was unlocked has no keeper any more, though the script goes on.
start sh job freed unlock
wait_until '[ -e unlocked.freed ]'
wait_until 'nothing_left freed'
wait_until '[ "$(keepers freed)" = 0 ]'

# Somebody else's lock under the same name stays: after an expiry, and when the link was removed by
# hand.
start sleep 60
first=$started
expect_code 0 atmost hold --expire-after 1s --for-pid "$first" ./expired
start atmost run -w inf ./expired sleep 60
wait_until '[ "$(readlink expired | cut -d" " -f1)" = "pid=$started" ]'
start sleep 60
second=$started
expect_code 0 atmost hold --for-pid "$second" ./removed
rm removed removed.atmost
start atmost run -w inf ./removed sleep 60
wait_until '[ -L removed ] && [ "$(readlink removed | cut -d" " -f1)" = "pid=$started" ]'
kill "$first" "$second"
expect_end 143 "$first"
expect_end 143 "$second"
wait_until '[ "$(keepers expired)" = 0 ] && [ "$(keepers removed)" = 0 ]'
[ -L expired ] && [ -L removed ] || fail "the keeper has removed another's lock"

# A waiter gets it at once, and keeps it while the keeper leaves.
i=0
while [ $i -lt 20 ]; do
  i=$((i + 1))
  sleep 60 &
  script=$!
  wait_until '[ "$(cat /proc/$script/comm)" = sleep ]'  # a shell between fork and exec would lose the signal
  atmost hold --for-pid "$script" ./raced
  atmost run -w 20 ./raced sh -c 'readlink raced | cut -d" " -f1; readlink raced >again; sleep 0.05; readlink raced | cmp - again' >raced.out &
  waiter=$!
  kill "$script"
  wait "$waiter" || fail "round $i: $?"
  wait "$script" || :
  grep -qx "pid=[0-9]*" raced.out || fail "round $i: $(cat raced.out)"
done
