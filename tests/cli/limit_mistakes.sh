#!/bin/sh
# Mistakes of atmost limit are told, with what would be right, and change nothing.
. "$(dirname "$0")/lib.sh"

refused() {  # MESSAGE ARG...
  message=$1
  shift
  expect_code 64 atmost limit "$@"
  expect_line 1 err
  expect_in err "$message"
  [ ! -e locks/build.lock ] || fail "the lock was made"
}
refused "N: 0 admits nobody: atmost drain build does that" build 0
refused "N: " build four
refused "N: " build 262145
refused "one argument too many" build 4 5
refused "--rate: " build --rate 5
refused "did you mean" build --rates 5/1s
refused "no LOCK given"
refused "a limit of record lies beside a lock file" --store symlink: build 1
refused "too many: a limit of record has at most 8" build --rate 1/1s --rate 1/2s --rate 1/3s \
  --rate 1/4s --rate 1/5s --rate 1/6s --rate 1/7s --rate 1/8s --rate 1/9s
expect_code 64 atmost run --store symlink: --env A=name ./here true
expect_in err "--env: name and names are those of a limit of record"

# A part of the machine is computed when it is set.
expect_code 0 atmost limit build cpus
expect_code 0 atmost limit build
[ "$(sed 's/build: //' out)" -ge 1 ] || fail "$(cat out)"

# Options behind LOCK, too; a path as LOCK; a directory's own mode.
expect_code 0 atmost limit --no-history --mode 666 ./gate 3 --rate 5/1m
[ "$(stat -c %a gate)" = 1666 ] || fail "mode $(stat -c %a gate)"
[ -e gate.limit ] || fail "no gate.limit"
expect_code 0 atmost run -n 9 --no-history ./gate true
# NAME and NAME.lock have one record's name, and one of them gets it.
expect_code 0 atmost run --no-history ./gate.lock true
chmod +t gate.lock
expect_code 74 atmost run --no-history ./gate.lock true
expect_in err "its limit of record is damaged, or another lock's"
