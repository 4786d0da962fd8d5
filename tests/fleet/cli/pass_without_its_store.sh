#!/bin/sh
# A store without an answer: every job of it is reported once, none runs, and the host's own jobs
# run nevertheless.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"
for i in 1 2 3 4 5; do
  printf '[[atom]]\noperator = "lost"\noperand = "%s"\ncommand = ["touch", "%s/ran"]\n' "$i" "$folder"
done >f
printf '[[atom]]\noperator = "lost"\noperand = "own"\nscope = "host"\ncommand = ["touch", "%s/own"]\n' "$folder" >>f

begun=$(date +%s)
expect_code 69 atmost pass --store "$FLEET_DEAD" f
[ $(($(date +%s) - begun)) -lt 9 ] || fail "each job waited for the store"
[ ! -e ran ] || fail "a job ran without its lock"
[ -e own ] || fail "the host's own job did not run"
expect_line 5 err
for i in 1 2 3 4 5; do expect_in err "lost:$i: "; done
[ "$(grep -c 'not run: its store could not be reached just now' err)" -eq 4 ] || fail "$(cat err)"

rm own
expect_code 69 atmost pass --store "$FLEET_DEAD" -j 3 --json f
[ ! -e ran ] || fail "a job ran without its lock"
[ "$(grep -c '"kind":"failed".*"code":69' out)" -eq 5 ] || fail "$(cat out)"

rm own
expect_code 69 atmost pass --store "$FLEET_DEAD" --dry-run f
expect_line 6 out
expect_in out "lost:own: would run"
[ ! -e own ] || fail "a dry run ran something"

# Servers that are there and stay silent. A directory has none here: shared_lease tests one that
# hangs.
case $FLEET_STORE in shared:*) exit 0 ;; esac
# Some of PostgreSQL's processes may have ended since.
# shellcheck disable=SC2086  # pids, one or more
kill -STOP $FLEET_PIDS 2>/dev/null || :
# shellcheck disable=SC2086
trap 'ended=$?; kill -CONT $FLEET_PIDS 2>/dev/null || :; clean_up' EXIT
expect_code 69 atmost pass --store "$FLEET_STORE" f
# shellcheck disable=SC2086
kill -CONT $FLEET_PIDS 2>/dev/null || :
[ ! -e ran ] || fail "a job ran without its lock"
expect_line 5 err
