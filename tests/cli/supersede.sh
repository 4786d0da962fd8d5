#!/bin/sh
# --on-busy=supersede: of the waiting callers with this option the newest runs; the others exit
# with 0.
. "$(dirname "$0")/lib.sh"

mkfifo gate
start atmost run build sh -c 'read -r line <gate'
holder=$started
wait_until '[ "$(atmost check build)" = 1 ]'
start atmost run -w inf --id plain build sh -c 'echo plain >>ran'
plain=$started
wait_until 'atmost list --json build | grep -q plain'
newest=
for i in 1 2 3; do
  before=$newest
  start atmost run --on-busy=supersede --id "change$i" build sh -c "echo change$i >>ran"
  newest=$started
  wait_until "atmost list --json build | grep -q 'change$i'"
  [ -z "$before" ] || expect_end 0 "$before"
done
! [ -e ran ] || fail "a superseded command ran"
expect_code 0 atmost history --json build
expect_in out '"why":"superseded"'
echo go >gate
expect_end 0 "$holder"
expect_end 0 "$plain"
expect_end 0 "$newest"
expect_line 2 ran
expect_in ran "change3"
