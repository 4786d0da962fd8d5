#!/bin/sh
# One file of variables may serve several stores: their secrets reach no command, whichever store is
# used.
. "$(dirname "$0")/lib.sh"

export ATMOST_ETCD_TOKEN=secret-of-etcd ATMOST_POSTGRES_PASSWORD=secret-of-postgres
case $FLEET_STORE in
  etcd:*) unset ATMOST_ETCD_TOKEN ;;
esac
expect_code 0 atmost run --store "$FLEET_STORE" secrets env
expect_in out "ATMOST_TOKEN="
! grep secret-of out || fail "the command has the secrets of a store"
