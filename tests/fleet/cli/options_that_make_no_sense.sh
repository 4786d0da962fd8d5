#!/bin/sh
# Each option of one machine that means nothing in a fleet is refused in one line with the reason
# (docs/fleet.md, "Options").
. "$(dirname "$0")/lib.sh"
export ATMOST_STORE="$FLEET_STORE"

refused() {
  words=$1
  shift
  expect_code 64 "$@"
  expect_line 1 err
  expect_in err "$words"
}
refused "--exec: nobody stays to renew the lease" atmost run --exec no-sense touch ran
refused "--close: a fleet's lock has no descriptor" atmost run --close no-sense touch ran
refused "--until: close is about a descriptor" atmost run --until=close no-sense touch ran
case $FLEET_STORE in
  shared:*) ;;  # its locks are files
  *)
    refused "--mode: a fleet's lock is not a file" atmost run --mode 644 no-sense touch ran
    refused "--mode: a fleet's lock is not a file" atmost wait -n 1 --mode 644 no-sense
    ;;
esac
for command in "run" "check -n 1" "wait -n 1" "drain" "resume" "kill"; do
  # The words of $command are meant to be split.
  # shellcheck disable=SC2086
  refused "--trust-fs: a fleet's lock lies on no filesystem" atmost $command --trust-fs no-sense true
done
for option in --if-elapsed --expire-after; do
  refused "auto: a fleet's store remembers only how long runs took" atmost run $option auto no-sense touch ran
done
refused "--ttl: a lease that never ends" atmost run --ttl inf no-sense touch ran
refused "--ttl: so long a lease" atmost run --ttl 9223372036s no-sense touch ran
refused "--kill-grace: the command has to be stopped" atmost run --ttl 7d --kill-grace 4d no-sense touch ran
refused "--kill-grace: a lease ends" atmost run --kill-grace inf no-sense touch ran
refused "--ttl: 15s is too short" atmost run --ttl 15s --kill-grace 10s no-sense touch ran
refused "--queue-max: this caller does not wait" atmost run --queue-max 1 no-sense touch ran
case $FLEET_STORE in
  shared:*) refused "\"./no-sense\" is not in /" atmost run ./no-sense touch ran ;;
  *) refused "is a path, which means nothing on other machines" atmost run ./no-sense touch ran ;;
esac
refused "no-sense: the same lock twice" atmost run --also no-sense no-sense touch ran
refused "--store: hold and release keep locks of this machine" atmost hold --for-pid $$ no-sense
refused "--store: hold and release keep locks of this machine" atmost release no-sense
refused "--store: explain reads a lock file" atmost explain no-sense
unset ATMOST_STORE
refused "--ttl: only a lease in a fleet has one" atmost run --ttl 20s no-sense touch ran
refused "--on-lost: nobody stays to look after the lock file" atmost run --exec --on-lost=warn no-sense touch ran
[ ! -e ran ] || fail "something ran"
