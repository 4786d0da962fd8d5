#!/bin/sh
# --alert-after: only every Nth consecutive refusal is shown and counts as a failure; an admission
# ends the row.
. "$(dirname "$0")/lib.sh"

start atmost run busy -- sleep 600
wait_until '[ "$(atmost check busy)" = 1 ]'
asks() { atmost run --alert-after 3 "$@" >>said 2>&1; }
silent() {
  asks "$@" || fail "spoke too early: $(cat said)"
  [ ! -s said ] || fail "spoke too early: $(cat said)"
}
speaks() {
  code=$1
  shift
  got=0
  asks "$@" || got=$?
  [ "$got" = "$code" ] || fail "$got instead of $code"
  [ -s said ] || fail "said nothing"
  rm said
}
for _ in 1 2; do
  silent busy true
  silent busy true
  speaks 75 busy true
done

# Too soon counts as well; an admitted caller begins a new row.
expect_code 0 atmost run daily true
silent --if-elapsed 1h daily true
silent --if-elapsed 1h daily true
asks --if-elapsed 0 daily true
silent --if-elapsed 1h daily true
silent --if-elapsed 1h daily true
speaks 76 --if-elapsed 1h daily true
# A command of a silent refusal is not run.
silent --if-elapsed 1h daily touch ran
[ ! -e ran ] || fail "it ran"
# The history has them all.
[ "$(atmost history --json --event denied daily | wc -l)" -eq 6 ] || fail "$(atmost history daily)"
