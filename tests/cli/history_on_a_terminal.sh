#!/bin/sh
# On a narrow terminal history leaves columns out, cuts names, and puts details in lines of their
# own: no line is wider than the terminal, and no word is cut.
. "$(dirname "$0")/lib.sh"
command -v script >/dev/null || skip "no script(1)"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-history" ] || skip "built without the back tier"

long=$(printf 'n%.0s' $(seq 200))
expect_code 3 atmost run "$long" -- sh -c 'exit 3'
expect_code 0 atmost run short true
for columns in 60 80 200; do
  LC_ALL=C.UTF-8 script -qc "stty cols $columns; atmost history" /dev/null </dev/null | tr -d '\r' >screen
  ! LC_ALL=C.UTF-8 grep -E "^.{$((columns + 1))}" screen || fail "wider than $columns: $(cat screen)"
  expect_in screen 'exit 3 after '
  expect_in screen '…'
done
LC_ALL=C.UTF-8 script -qc 'stty cols 60; atmost history' /dev/null </dev/null | tr -d '\r' >screen
grep -q '^    exit 3 after [0-9a-z<]*, [0-9a-z<]* CPU, [0-9]* [KM]iB$' screen || fail "$(cat screen)"
