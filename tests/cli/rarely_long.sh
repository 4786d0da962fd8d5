#!/bin/sh
# --max-runtime auto, for a job that is rarely long, and whose killed runs are not repeated; and for
# long runs side by side. Of stopped runs only what is known is told.
. "$(dirname "$0")/lib.sh"

short() {
  i=0
  while [ $i -lt "$1" ]; do
    atmost run -n 6 --max-runtime auto "$2" true
    i=$((i + 1))
  done
}
# The time of a long run: well above the limit, which is larger on a machine that is busy.
long_for() {
  atmost tune --json "$1" | sed 's/.*"max_runtime_s":\([0-9.]*\).*/\1/' | awk '{print $1 * 1.5}'
}
# A long run that sleeps looks like a hang, so a job may lose two before the next has its time.
stopped=0
for month in 1 2 3 4 5; do
  short 12 rare
  [ $month != 1 ] || long=$(long_for rare)
  code=0
  atmost run --max-runtime auto rare sleep "$long" 2>err || code=$?
  if [ $code = 124 ]; then
    stopped=$((stopped + 1))
  elif [ $code != 0 ]; then
    fail "$code: $(cat err)"
  fi
  if [ $month = 1 ]; then
    [ $code = 124 ] || fail "the first long run was not stopped"
    expect_code 0 atmost tune rare
    expect_in out 'a limit stopped 1: '
    if grep -q 'none was stopped\|wrongly' out; then fail "$(cat out)"; fi
    # No run ever ended by itself after so long.
    if grep -q 'nearly all up to [0-9.]*s' out; then fail "$(cat out)"; fi
  fi
done
[ $stopped -ge 1 ] && [ $stopped -le 3 ] || fail "$stopped of 5 long runs were stopped"
expect_code 0 atmost tune rare
expect_in out ' wrongly ('

# Six long runs begin at once, in another directory, which knows of no long ones: when the first is
# stopped, the limit of the others grows.
mkdir others
ATMOST_DIR=$PWD/others
short 12 six
long=$(long_for six)
for one in 1 2 3 4 5 6; do
  start sh -c 'atmost run -n 6 --max-runtime auto six sleep "$2"; echo $? >code.$1' sh $one "$long"
done
for one in 1 2 3 4 5 6; do wait_until "[ -s code.$one ]"; done
stopped=$(cat code.? | grep -c 124 || :)
[ "$stopped" -ge 1 ] && [ "$stopped" -le 2 ] || fail "$stopped of 6 were stopped: $(cat code.?)"
