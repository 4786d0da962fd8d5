#!/bin/sh
# The example programs behave as their comments promise.
set -eu
atom=$1 seats=$2
ATMOST_DIR=$(mktemp -d)
export ATMOST_DIR
trap 'rm -rf "$ATMOST_DIR"' EXIT

"$atom" /etc/motd | grep -q '^editing /etc/motd (token [1-9][0-9]*)$'
code=0
"$atom" /etc/motd 2>"$ATMOST_DIR/said" || code=$?
[ "$code" = 76 ]
grep -q '^not now: editfile:/etc/motd: too soon: come back in 15m' "$ATMOST_DIR/said"
"$atom" /etc_motd >"$ATMOST_DIR/other"  # another atom, though its name reads alike
[ "$("$seats")" = "seat 1" ]
