#!/bin/sh
# Help and version are on standard output, for the program and for every subcommand.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost --help
expect_in out "usage: atmost COMMAND"
expect_in out "others: wait hold "
expect_in out "all commands: atmost --help-all"
expect_code 0 atmost --help-all
for command in run check wait list explain doctor drain resume forget history jobs stats report pass; do
  expect_in out "  $command "
done
for command in run check wait list explain doctor drain resume forget history stats report pass; do
  expect_code 0 atmost $command --help
  expect_line 0 err
  grep -q "^usage: atmost $command " out || fail "$command --help begins with $(head -n 1 out)"
  [ $command = run ] || expect_in out "--help "
  expect_code 0 atmost $command -V
  expect_in out "atmost "
done
expect_code 0 atmost run -h
expect_in out "-n, --max N"
# Help that names a DUR shows its form.
for command in run check wait hold kill tune; do
  expect_code 0 atmost $command --help
  grep -q " DUR" out || continue
  expect_in out "DUR: 90, 90s, 15m"
done
expect_code 0 atmost -h
expect_code 0 atmost -V
expect_line 1 out
