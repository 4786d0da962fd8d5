#!/bin/sh
# --rate K/DUR: at most K admissions in any window of that length, and the refusal has the time to
# come back.
. "$(dirname "$0")/lib.sh"

for _ in 1 2 3; do expect_code 0 atmost run --rate 3/1h api true; done
expect_code 76 atmost run --rate 3/1h api true
expect_line 1 err
expect_in err "atmost: too soon: api: 3 runs started within the last 1h: come back in "
expect_code 76 atmost run --json --rate 3/1h api true
expect_in err '{"kind":"too_soon","code":76,"lock":"api",'
expect_code 76 atmost check --rate 3/1h api
expect_code 0 atmost check --rate 4/1h api
expect_code 0 atmost run --rate 3/1h --on-too-soon=skip api sh -c 'echo ran'
expect_line 0 out

# Each admission counts, except of a command that could not be executed.
expect_code 127 atmost run api ./no-such-command
expect_code 0 atmost run api true
expect_code 76 atmost run --rate 4/1h api true
expect_code 0 atmost run --rate 5/1h api true
expect_code 0 atmost forget api
expect_code 0 atmost run --rate 1/1h api true
expect_code 76 atmost run --rate 1/1h api true

# A window that is over, by a given time.
expect_code 0 atmost run --now 1000 --rate 2/1m given true
expect_code 0 atmost run --now 1030 --rate 2/1m given true
expect_code 76 atmost run --now 1059 --rate 2/1m given true
expect_in err "come back in 1s"
expect_code 0 atmost run --now 1060 --rate 2/1m given true
expect_code 76 atmost run --now 1080 --rate 2/1m given true
expect_in err "come back in 10s"

# Values that make no sense.
wrong() {
  expect_code 64 atmost run --rate "$1" api true
  expect_line 1 err
  expect_in err "$2"
}
wrong 5 '--rate: "5" is not a rate: use K/DUR, for example 5/1m'
wrong 0/1m '--rate: "0" '
wrong 1025/1m '--rate: "1025" '
wrong 5/ '--rate: '
wrong 5/0 '--rate: '
wrong 5/inf '--rate: "5/inf" never ends: use a duration, or --if-elapsed inf to run once only'
wrong /1m '--rate: '
expect_code 64 atmost run --store symlink: --rate 5/1m api true
expect_in err "--rate: this store does not record so many admissions: use --if-elapsed"
