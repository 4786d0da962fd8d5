#!/bin/sh
# list --json prints one object a line, with the names of the manual.
. "$(dirname "$0")/lib.sh"

start atmost run --id 'say "hi"' --expire-after 1h back:up sleep 60
wait_until '[ "$(atmost check back:up)" = 1 ]'
expect_code 0 atmost list --json
expect_line 1 out
for name in lock slot pid user start age_s expires_s token id command state verified; do
  expect_in out "\"$name\":"
done
expect_in out '{"lock":"back:up","slot":1,"pid":'
# With POSIX alone nobody can prove who holds a slot.
verified=true
if [ "${ATMOST_PORTABLE-}" ]; then verified=false; fi
expect_in out '"id":"say \"hi\"","command":"sleep","state":"held","verified":'"$verified}"
