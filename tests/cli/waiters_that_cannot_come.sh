#!/bin/sh
# A waiter that cannot come now delays those behind it by its one turn at most, and they keep their
# order: one that is stopped, one whose other lock is held, one whose rate is not due, all of these,
# and many that are stopped or killed. COUNT waiters are behind them; the first case has nobody in
# front, and measures the speed of this machine. Callers with a limit to their wait have WAIT
# seconds.
. "$(dirname "$0")/lib.sh"
COUNT=${COUNT:-12}

milliseconds() { echo $(($(date +%s%N) / 1000000)); }
waiting() { atmost list --json "./$1" | grep -c '"state":"waiting"' || :; }
# A waiter, in $started once it stands in the queue of $lock.
queue() {
  start atmost run -q --no-history -n "$n" -w inf "$@"
  stand=$((stand + 1))
  wait_until "[ \$(waiting $lock) -ge $stand ]"
}
queue_stopped() {
  queue "./$lock" true
  kill -STOP "$started"
  stopped="$stopped $started"
}
also() { queue --also ./held "./$lock" true; }
rate() { queue --rate 1/1d --on-too-soon=wait "./$lock" true; }

# begin LOCK N: N holders, until end.
begin() {
  lock=$1 n=$2 stand=0 stopped=
  atmost run -q --no-history -n "$n" --rate 1/1d "./$lock" true
  for i in $(seq "$n"); do
    start atmost run -q --no-history -n "$n" "./$lock" sh -c "echo >>in-$lock; until [ -e go-$lock ]; do sleep 0.02; done"
  done
  wait_until "[ -e in-$lock ] && [ \$(wc -l <in-$lock) = $n ]"
}
# Lets the holders go, and waits until COUNT have come; $took: milliseconds.
end() {
  began=$(milliseconds)
  : >"go-$lock"
  wait_until "[ -e order-$lock ] && [ \$(wc -l <order-$lock) -ge $1 ]" 60
  took=$(($(milliseconds) - began))
  # A waiter that cannot be called may look too late for its turn on a busy machine.
  if [ "$n" = 1 ] && [ -z "${ATMOST_PORTABLE-}" ]; then
    sort -nc "order-$lock" || fail "$lock: out of order"
  fi
  for pid in $stopped; do kill -CONT "$pid"; done
  if [ -z "${free-}" ]; then free=$took; fi
  [ $took -le $((4 * free + 8000)) ] || fail "$lock: $took ms, with nobody in front $free ms"
  echo "$lock: $took ms"
}
crowd() {
  for i in $(seq "$COUNT"); do
    queue "./$lock" sh -c "echo $i >>order-$lock"
    if [ $((i % 4)) = 0 ] && [ "${1-}" = mixed ]; then queue_stopped; fi
  done
}

start atmost run -q --no-history ./held sleep 600
begin nobody 1; crowd; end "$COUNT"
begin stopped 1; queue_stopped; crowd; end "$COUNT"
begin also 1; also; crowd; end "$COUNT"
begin rate 1; rate; crowd; end "$COUNT"
begin all 1; queue_stopped; also; rate; crowd mixed; end "$COUNT"
begin three 3; queue_stopped; also; rate; crowd mixed; end "$COUNT"

# Callers that come together, with short commands and a limit to their wait: none is refused.
short() {
  queue_stopped; also; rate
  : >"go-$lock"
  for i in $(seq "$COUNT"); do
    start atmost run -q --no-history -n "$n" -w "${WAIT:-10}" "./$lock" sh -c "echo $i >>order-$lock"
    callers="${callers-} $started"
  done
  for pid in $callers; do wait "$pid" || fail "$lock: a caller ended with $?"; done
  callers=
  [ "$(wc -l <"order-$lock")" = "$COUNT" ] || fail "$lock: $(wc -l <"order-$lock") of $COUNT came"
  for pid in $stopped; do kill -CONT "$pid"; done
}
begin short 1; short
begin short-three 3; short

# The first half are killed or stopped together.
begin half 1
gone=
for i in $(seq "$COUNT"); do
  queue "./$lock" sh -c "echo $i >>order-$lock"
  if [ $((2 * i)) -gt "$COUNT" ]; then continue; fi
  if [ $((i % 2)) = 0 ]; then gone="$gone $started"; else stopped="$stopped $started"; fi
done
for pid in $stopped; do kill -STOP "$pid"; done
for pid in $gone; do kill -KILL "$pid"; done
end $((COUNT - COUNT / 2))

# Of ten times as many, every fourth is killed and every fifth of the others stopped, all together.
[ "$COUNT" -ge 40 ] || exit 0
begin many 1
gone='' runs=0
for i in $(seq $((10 * COUNT))); do
  queue "./$lock" sh -c "echo $i >>order-$lock"
  if [ $((i % 4)) = 0 ]; then
    gone="$gone $started"
  elif [ $((i % 5)) = 0 ]; then
    stopped="$stopped $started"
  else
    runs=$((runs + 1))
  fi
done
for pid in $stopped; do kill -STOP "$pid"; done
for pid in $gone; do kill -KILL "$pid"; done
end "$runs"
