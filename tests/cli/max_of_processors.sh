#!/bin/sh
# -n takes a part of the processors: those that this process may use, and its group's quota.
. "$(dirname "$0")/lib.sh"

# max_for N: the limit that -n N stands for, by the log.
max_for() {
  "$@" atmost run -n "$n" job true || fail "-n $n is refused"
  tail -n 1 locks/history.jsonl | grep -o '"max":[0-9]*' | cut -d : -f 2
}
expect_max() {
  expected=$1 n=$2
  shift 2
  [ "$(max_for "$@")" = "$expected" ] || fail "-n $n is $(max_for "$@"), not $expected"
}

first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
one() { expect_max "$1" "$2" taskset -c "$first"; }
one 1 cpus
one 1 cpus/4
one 1 cpus-1
one 3 300%
one 1 25%
n=cpus
[ "$(max_for)" -ge 1 ] && [ "$(max_for)" -le "$(nproc)" ] || fail "-n cpus is $(max_for) of $(nproc)"
expect_max 262144 inf
expect_code 64 atmost run -n cpus/0 job true
expect_code 64 atmost run -n 0% job true
expect_code 64 atmost run -n cpu job true
