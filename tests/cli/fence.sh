#!/bin/sh
# A fence accepts rising tokens, refuses stale ones, and accepts nothing when its file is damaged.
. "$(dirname "$0")/lib.sh"

expect_code 0 env ATMOST_TOKEN=5 atmost fence f
expect_code 0 env ATMOST_TOKEN=5 atmost fence f
expect_code 0 atmost fence --token 7 f
expect_code 79 env ATMOST_TOKEN=6 atmost fence f
expect_in err 'token 6 is stale: 7 has been here'
expect_code 79 atmost fence --token=6 f -- touch ran
[ ! -e ran ] || fail "a stale holder's command ran"
expect_code 3 atmost fence --token=8 f -- sh -c 'exit 3'
expect_code 0 atmost fence --token 18446744073709551615 f
expect_code 79 atmost fence --token 9 f
for wrong in 0 -1 x '' 18446744073709551616; do expect_code 64 atmost fence --token "$wrong" f; done
expect_code 64 env -u ATMOST_TOKEN atmost fence f
expect_code 64 atmost fence --token 5
printf 'some text\n' >g
expect_code 74 atmost fence --token 5 g
ln -s f h
expect_code 74 atmost fence --token 99 h
# Only one at a time passes: COMMAND ends before the next token is looked at.
atmost fence --token 5 k -- sh -c 'echo first >>order; while [ ! -e second_started ]; do :; done; echo first_done >>order' &
while [ ! -e order ]; do :; done
(touch second_started; exec atmost fence --token 6 k -- sh -c 'echo second >>order') &
wait
expect_code 0 sh -c 'test "$(cat order | tr "\n" " ")" = "first first_done second "'
