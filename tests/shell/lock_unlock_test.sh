#!/bin/sh
# lock_unlock in the shell that runs this file (run.sh). No word of it is split, for zsh's sake.
set -eu
# shellcheck disable=SC3040  # asked first
if (set -o pipefail) 2>/dev/null; then set -o pipefail; fi
# shellcheck disable=SC1090  # the shell folder of this build
. "$LOCK_UNLOCK"

fail() {
  printf '%s\n' "FAIL: $*" >&2
  exit 1
}
held() { [ "$(atmost check "$1")" = 1 ]; }
free() { [ "$(atmost check "$1")" = 0 ]; }
# until_it COMMAND ARG...: within 20 seconds.
until_it() {
  tries=0
  until "$@"; do
    tries=$((tries + 1))
    [ "$tries" -lt 1000 ] || fail "not within 20 s: $*"
    sleep 0.02
  done
}

# Other scripts of this file, by name.
case ${1-} in
  contender)
    i=0
    while [ "$i" -lt 10 ]; do
      lock_unlock action=lock name=contested
      echo "$$" >>marks
      echo "$$" >>marks
      lock_unlock action=unlock name=contested
      i=$((i + 1))
    done
    exit 0
    ;;
  holder)  # until it is killed
    lock_unlock action=lock name=killed "id=to be killed"
    : >holding
    exec sleep 100
    ;;
  daemon)  # leaves a process behind that has left everything
    lock_unlock action=lock name=daemon
    (sh -c 'echo $$ >daemon.pid; exec sleep 100' </dev/null >/dev/null 2>&1 &)
    exit 0
    ;;
  tree)  # leaves a child behind
    lock_unlock action=lock name=tree until=tree
    sh -c 'echo $$ >child.pid; exec sleep 100' </dev/null >/dev/null 2>&1 &
    until_it [ -s child.pid ]
    exit 0
    ;;
  subshell)  # leaves a subshell behind that runs no program
    exec 9</dev/null
    lock_unlock action=lock name=subshell until=tree
    lock_unlock action=lock name=subshell2 until=tree
    (read -r _ <until) </dev/null >/dev/null 2>&1 &
    exit 0
    ;;
  interrupted)  # Ctrl-C while it waits, which this script does not die of
    trap ': interrupted' INT
    : >asking
    code=0
    lock_unlock action=lock name=ctrl-c || code=$?
    echo "$code" >code
    exit 0
    ;;
  itself)
    [ "${JOB_SELF-}" = "$0" ] || JOB_SELF=$0 exec atmost run --no-history itself/job.lock -- "$TEST_SHELL" "$0" "$@"
    atmost check itself/job.lock
    exit 0
    ;;
esac

# Locking, unlocking, and saying so.
lock_unlock action=lock name=plain "id=a note"
held ./plain || fail "not held"
atmost list --json ./plain | grep -qF '"id":"a note"' || fail "no id: $(atmost list --json ./plain)"
atmost list --json ./plain | grep -qF "\"kept_for\":$$}" || fail "not kept for $$: $(atmost list --json ./plain)"
lock_unlock action=unlock name=plain || fail "not unlocked"
free ./plain || fail "not free"
if lock_unlock action=unlock name=plain; then fail "unlocked what was not held"; fi

# Busy for somebody else, and for this script itself: at once or after the wait.
lock_unlock action=lock name=busy
code=0
"$TEST_SHELL" -c '. "$LOCK_UNLOCK"; lock_unlock action=lock name=busy wait=0' || code=$?
[ "$code" = 1 ] || fail "a busy lock: $code"
code=0
"$TEST_SHELL" -c '. "$LOCK_UNLOCK"; lock_unlock action=unlock name=busy' || code=$?
[ "$code" = 1 ] || fail "unlocked another script's: $code"
if lock_unlock action=lock name=busy wait=0; then fail "locked twice"; fi
(lock_unlock action=unlock name=busy) || fail "a subshell is the script"
free ./busy || fail "the subshell has not freed it"

# Wrong arguments give no lock.
for wrong in action=lock "action=lock name=" "name=x"; do
  if lock_unlock "$wrong" 2>/dev/null; then fail "taken: $wrong"; fi
done
if lock_unlock action=lock name=x wait=soon 2>/dev/null; then fail "wait=soon"; fi
if lock_unlock action=lock name=x bogus=1 2>/dev/null; then fail "bogus=1"; fi
if lock_unlock action=lock name=x expire=0 2>/dev/null; then fail "expire=0"; fi
[ ! -e x ] || fail "a wrong call has made a file"

# Any name.
newline='
'
for name in "a b" "it's" 'say "hi"' '*' '?[a]' '$(touch pwned)' '`touch pwned`' -n --wait "a${newline}b" 'a;touch pwned' \
  a:b 'a\b' '~' "$PWD/absolute"; do
  lock_unlock action=lock name="$name" || fail "cannot lock $name"
  case $name in
    /*) held "$name" || fail "not held: $name" ;;
    *)
      [ -f "./$name" ] || fail "no such file: $name"
      held "./$name" || fail "not held: $name"
      ;;
  esac
  lock_unlock action=unlock name="$name" || fail "cannot unlock $name"
done
[ ! -e pwned ] || fail "a name was run"

# Nothing of the script's is touched: no trap, no descriptor, no variable, no argument.
set -- one "two three"
action=mine word=mine
trap 'echo "exit trap" >trapped' EXIT
exec 3>three 4<&0
lock_unlock action=lock name=tidy
lock_unlock action=unlock name=tidy
[ "$#" = 2 ] && [ "$1" = one ] && [ "$action$word" = minemine ] || fail "arguments or variables were changed"
echo still >&3
[ "$(cat three)" = still ] || fail "descriptor 3"
trap >traps
grep -qF "exit trap" traps || fail "the trap has gone: $(cat traps)"
trap - EXIT
# The keeper does not have our descriptors: a pipe ends when the script does not hold it any more.
[ "$(lock_unlock action=lock name=pipe && echo through)" = through ] || fail "a pipe"
lock_unlock action=unlock name=pipe

# With standard streams closed, some or all; words for the keeper go nowhere else.
for closed in in out all; do
  code=0
  case $closed in
    in) lock_unlock action=lock name="closed $closed" <&- || code=$? ;;
    out) lock_unlock action=lock name="closed $closed" >&- || code=$? ;;
    all) lock_unlock action=lock name="closed $closed" <&- >&- 2>&- || code=$? ;;
  esac
  [ "$code" = 0 ] || fail "streams closed: $closed: $code"
  held "./closed $closed" || fail "not held with closed streams: $closed"
  case $closed in
    in) lock_unlock action=unlock name="closed $closed" <&- || code=$? ;;
    out) lock_unlock action=unlock name="closed $closed" >&- || code=$? ;;
    all) lock_unlock action=unlock name="closed $closed" <&- >&- 2>&- || code=$? ;;
  esac
  [ "$code" = 0 ] || fail "streams closed: $closed: unlock: $code"
done
echo "of the script" >input
{
  lock_unlock action=lock name="$PWD/plainly"
  lock_unlock action=unlock name="$PWD/plainly"
  read -r line
} <input
[ "$line" = "of the script" ] || fail "the script's input was read: $line"

# From a function's loop, more than once, relative and elsewhere: a name means a file in the
# script's working directory.
mkdir elsewhere
lock_unlock action=lock name=here
cd elsewhere
if lock_unlock action=unlock name=here; then fail "unlocked another directory's lock"; fi
cd ..
lock_unlock action=unlock name=here || fail "not unlocked after cd"
lock_unlock action=lock name="$PWD/outer"
for i in 1 2 3; do
  lock_unlock action=lock name="$PWD/inner" || fail "nested: lock $i"
  held "$PWD/inner" || fail "nested: not held $i"
  lock_unlock action=unlock name="$PWD/inner" || fail "nested: unlock $i"
  free "$PWD/inner" || fail "nested: not free $i"
done
held "$PWD/outer" || fail "nested: the outer one is lost"
lock_unlock action=unlock name="$PWD/outer" || fail "nested: outer"

# Expiry: the lock goes, the script stays.
lock_unlock action=lock name=short expire=1
until_it free ./short
if lock_unlock action=unlock name=short; then fail "unlocked an expired lock"; fi

# A taker that takes over from a script stops the keeper, never the script.
lock_unlock action=lock name=taken
atmost run -q --no-history --expire-after 0 ./taken true 2>/dev/null || fail "not taken over: $?"
if lock_unlock action=unlock name=taken; then fail "unlocked a lock that was taken over"; fi

# One at a time: marks that others write come in pairs.
for i in 1 2 3 4; do
  "$TEST_SHELL" "$TEST_FILE" contender &
done
wait
[ "$(wc -l <marks)" -eq 80 ] || fail "$(wc -l <marks) marks"
[ "$(awk 'NR % 2 == 0 && $0 != last { bad++ } { last = $0 } END { print bad + 0 }' marks)" = 0 ] || fail "two inside"

# A script that is killed frees its lock within 100 ms: a waiter is in by then. A busy
# machine gets ten times as long.
"$TEST_SHELL" "$TEST_FILE" holder &
holder=$!
until_it [ -e holding ]
atmost run --no-history -w 20 ./killed sh -c 'cat /proc/uptime >freed' &
waiter=$!
until_it sh -c 'atmost list --json ./killed | grep -q "\"state\":\"waiting\""'
cat /proc/uptime >killed_at
kill -KILL "$holder"
wait "$waiter" || fail "the waiter: $?"
wait "$holder" 2>/dev/null || :
took=$(awk 'NR == 1 { start = $1 } NR == 2 { print int(1000 * ($1 - start)) }' killed_at freed)
[ "$took" -lt 1000 ] || fail "freed after $took ms"

# A daemon that the script has left behind does not keep the lock, a marked child does.
"$TEST_SHELL" "$TEST_FILE" daemon
until_it [ -s daemon.pid ]
until_it free ./daemon
kill -0 "$(cat daemon.pid)" || fail "the daemon has gone"
kill -KILL "$(cat daemon.pid)"
"$TEST_SHELL" "$TEST_FILE" tree
code=0
atmost wait -n 1 -w 300ms -q ./tree || code=$?
[ "$code" = 75 ] || fail "a running child does not keep it: $code"
kill -KILL "$(cat child.pid)"
until_it free ./tree

# So do the subshells that it leaves behind, which were forked and run no program.
mkfifo until
"$TEST_SHELL" "$TEST_FILE" subshell
for subshell in ./subshell ./subshell2; do
  code=0
  atmost wait -n 1 -w 300ms -q "$subshell" || code=$?
  [ "$code" = 75 ] || fail "free although a subshell of its script runs: $subshell: $code"
done
echo go >until
until_it free ./subshell
until_it free ./subshell2

# Dying while it waits leaves nobody behind.
lock_unlock action=lock name=queue
"$TEST_SHELL" -c '. "$LOCK_UNLOCK"; lock_unlock action=lock name=queue' &
waiting=$!
until_it sh -c 'atmost list --json ./queue | grep -q "\"state\":\"waiting\""'
kill -KILL "$waiting"
wait "$waiting" 2>/dev/null || :
until_it sh -c '! atmost list --json ./queue | grep -q "\"state\":\"waiting\""'
lock_unlock action=unlock name=queue
free ./queue || fail "held by one who was killed"

# Ctrl-C while it waits: the terminal sends INT to all of a job.
# (By its path: a static busybox has an env of its own before PATH, without that option.)
lock_unlock action=lock name=ctrl-c
setsid sh -c 'trap - INT; echo $$ >job; exec /usr/bin/env --default-signal=INT "$TEST_SHELL" "$TEST_FILE" interrupted' &
job=$!
until_it sh -c 'atmost list --json ./ctrl-c | grep -q "\"state\":\"waiting\""'
kill -INT "-$(cat job)"
wait "$job" || fail "a script that traps INT: $?"
[ "$(cat code)" = 1 ] || fail "interrupted: $(cat code)"
until_it sh -c '! atmost list --json ./ctrl-c | grep -q "\"state\":\"waiting\""'
lock_unlock action=unlock name=ctrl-c || fail "not unlocked: ctrl-c"
free ./ctrl-c || fail "held by one who was interrupted"

# A script that locks itself, in one line.
mkdir itself
[ "$("$TEST_SHELL" "$TEST_FILE" itself)" = 1 ] || fail "the script that locks itself"

# Korn shells and zsh load the function when it is called.
mkdir functions
cp "$LOCK_UNLOCK" functions/lock_unlock
case ${TEST_SHELL##*/} in
  ksh93 | zsh)
    FPATH=$PWD/functions "$TEST_SHELL" -c 'autoload lock_unlock; lock_unlock action=lock name=loaded &&
      [ "$(atmost check ./loaded)" = 1 ] && lock_unlock action=unlock name=loaded' || fail "autoload"
    ;;
esac
