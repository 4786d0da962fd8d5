#!/bin/sh
# A caller that closes a standard stream gets an exit code for it; no connection to the store
# takes its place, to be written to.
. "$(dirname "$0")/lib.sh"

expect_code 74 sh -c 'atmost list >&-'
expect_code 74 sh -c 'atmost check --json closed >&-'
expect_code 74 sh -c 'atmost doctor "$FLEET_STORE" >&-'
expect_code 74 sh -c 'atmost doctor "$FLEET_STORE" >/dev/full'
start atmost run held -- sh -c 'echo up >up; exec sleep 600'
wait_until '[ -s up ]'
expect_code 75 sh -c 'atmost run held -- true 2>&-'
expect_code 0 sh -c 'atmost run free -- sh -c "echo ran >ran" <&- >&- 2>&-'
[ "$(cat ran)" = ran ] || fail "the command did not run"
# It finds them as we did.
expect_code 0 sh -c 'atmost run free -- sh -c "test ! -e /proc/\$\$/fd/1" >&- 2>/dev/null'
