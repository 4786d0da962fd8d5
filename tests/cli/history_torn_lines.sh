#!/bin/sh
# Torn and foreign lines are skipped and counted; both generations are read, the older one first.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost run --id first job -- true
mv locks/history.jsonl locks/history.jsonl.1
printf 'somebody else\n\n{"v":1,"event":"adm' >>locks/history.jsonl.1
printf '{"v":1,"event":"end' >locks/history.jsonl
expect_code 0 atmost run --id second job -- true
expect_code 0 atmost history --json
expect_line 4 out
[ "$(sed -n 1p out | grep -c first)" = 1 ] || fail "the older generation is not first"
[ "$(sed -n 4p out | grep -c second)" = 1 ] || fail "the newer generation is not last"
expect_in err "3 lines were skipped"
expect_code 0 atmost history -q
expect_line 0 err
# A good line right behind a torn one is not lost.
{ printf '{"v":1,"event":"end'; tail -n 1 locks/history.jsonl; } >glued
expect_code 0 atmost history --json --log glued
expect_line 1 out

# A crash may leave a hole of any size: reading all of this one would take minutes.
printf '{"v":1,"event":"adm' >locks/history.jsonl
if truncate -s 1T locks/history.jsonl 2>/dev/null; then
  expect_code 0 atmost run --id behind job -- true
  expect_code 0 atmost history --json
  [ "$(grep -c behind out)" = 2 ] || fail "no line behind the hole"
  expect_line 2 out
  expect_in err "1 line was skipped"
fi
