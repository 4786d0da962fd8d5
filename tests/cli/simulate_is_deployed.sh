#!/bin/sh
# simulate is what hold and release do: driven with the times of a log, they stop the same runs.
# Runs of a lock overlap, so a run's length must not be known before it ends; and locks with few
# runs go by what the others' runs taught.
tools=$(cd "$(dirname "$0")" && pwd)/../../bench
. "$(dirname "$0")/lib.sh"
[ -e "$tools/deployed_limits" ] || skip "needs the sources"
[ -z "${ATMOST_PORTABLE-}" ] || skip "a lock cannot be held for another process"
command -v python3 >/dev/null || skip "needs python3"

# Of three locks the first changes to ten times as long, the runs of the second overlap, and the
# third has a long run now and then.
awk 'BEGIN {
  for (i = 0; i < 40; i++) {
    job(i * 4000, (i < 20 ? 100 : 1000) + i % 7, 1)
    job(i * 400, 600 + 900 * (i % 3), 2)
    job(i * 9000 + 5, i % 11 == 10 ? 7000 : 80 + i % 9, 3)
  }
}
function job(start, took, user) {
  printf "%d %d -1 %d 1 -1 -1 -1 -1 -1 -1 %d 1 1 -1 -1 -1 -1\n", ++n, start, took, user
}' | sort -n -k 2 >jobs.swf

for risk in 3 50; do
  python3 "$tools/deployed_limits" "$(command -v atmost)" jobs.swf $risk >figures || fail "it did not run"
  deployed=$(sed -n 's/^deployed: //p' figures)
  [ "$deployed" = "$(sed -n 's/^simulate: //p' figures)" ] || fail "$(cat figures)"
  case $deployed in
    105*' 0 killed'* | '') fail "nothing was killed: $deployed" ;;
    105*) ;;
    *) fail "not all runs were scored: $deployed" ;;
  esac
done
