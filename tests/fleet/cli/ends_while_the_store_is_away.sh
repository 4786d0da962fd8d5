#!/bin/sh
# A job that ends while its store does not answer reports that its slot counts as held until the
# lease ends; its exit code is its own.
. "$(dirname "$0")/lib.sh"

case $FLEET_STORE in
  shared:*) exit 0 ;; # there is no server that could be away
esac
name=away-$$
servers=
# Some of PostgreSQL's processes may have ended since.
signal_servers() { for pid in $servers; do kill "$1" "$pid" 2>/dev/null || :; done; }
trap 'ended=$?; signal_servers -CONT; clean_up' EXIT
(
  export ATMOST_ETCD_TIMEOUT=2s ATMOST_POSTGRES_TIMEOUT=2s
  code=0
  atmost run --no-history --ttl 60s --store "$FLEET_STORE" "$name" -- \
    sh -c ': >up; while [ ! -e go ]; do sleep 0.1; done; exit 3' 2>said || code=$?
  echo "$code" >code
) &
wait_until '[ -e up ]'
# The processes that serve the job came later than the first of them.
for pid in $FLEET_PIDS; do
  servers="$servers $pid $(cat "/proc/$pid/task/$pid/children" 2>/dev/null || :)"
done
signal_servers -STOP
: >go
wait
expect_in code 3
expect_in said "atmost: warning: $name: the store did not answer when the lock was released: it counts as held for "
[ "$(wc -l <said)" = 1 ] || fail "$(cat said)"
signal_servers -CONT
# A store that answers: no word.
expect_code 0 atmost run --no-history --store "$FLEET_STORE" "$name.other" -- true
[ ! -s err ] || fail "$(cat err)"
