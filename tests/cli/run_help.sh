#!/bin/sh
# run --help has the options that most calls need on a screen of 24 lines; --help-all has every one,
# in groups, those for tests and experts last.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost run --help
[ "$(wc -l <out)" -lt 24 ] || fail "$(wc -l <out) lines"
[ "$(tail -n 1 out)" = "all options: atmost run --help-all" ] || fail "$(tail -n 1 out)"
[ "$(grep -c '^  ....--' out)" = 14 ] || fail "not 14 options: $(cat out)"
for option in max take wait on-busy if-elapsed rate on-too-soon expire-after max-runtime output ping env exec quiet; do
  expect_in out "--$option "
done
expect_code 0 atmost run --help-all
for option in max notify now log splay; do expect_in out " --$option "; done
[ "$(grep -c '^[A-Z].*:$' out)" -ge 8 ] || fail "no groups: $(cat out)"
sed -n '/^For tests and experts:$/,$p' out >experts
for option in now host trust-fs log; do expect_in experts "--$option "; done
[ "$(grep -c '^[A-Z].*[a-z]:$' experts)" = 1 ] || fail "experts are not last"
for command in run check wait list hold release drain resume kill forget tune beat jobs history stats report top; do
  atmost $command --help
  [ "$command" != run ] || atmost run --help-all
done >out
if grep -nE '^.{81}' out; then fail "wider than 80 columns"; fi
expect_code 0 atmost help
[ "$(wc -l <out)" -lt 23 ] || fail "$(wc -l <out) lines"
if grep -nE '^.{81}' out; then fail "wider than 80 columns"; fi
[ "$(sed -n 's/^  \([a-z]*\) .*/\1/p' out | head -n 8 | tr '\n' ' ')" = 'run list jobs history check kill drain help ' ] || fail "$(cat out)"
expect_code 0 atmost --help-all
if grep -nE '^.{81}' out; then fail "wider than 80 columns"; fi
if grep -E '^  (fence|schema|simulate)' out; then fail "seldom used ones are listed"; fi
