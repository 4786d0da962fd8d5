#!/bin/sh
# list shows which script or program runs, by its path, and nothing of its arguments.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "no /proc"

for name in one two; do
  printf '#!/bin/sh\ntouch inside.%s\nwhile [ ! -e end ]; do sleep 0.01; done\n' "$name" >"$name.sh"
  chmod +x "$name.sh"
done
atmost run a sh ./one.sh --password=abc &
started_all="$started_all $!"
atmost run b "$PWD/two.sh" user@host &
started_all="$started_all $!"
# shellcheck disable=SC2016
atmost run c sh -c 'touch inside.c; while [ ! -e end ]; do sleep 0.01; done' secret &
started_all="$started_all $!"
for name in one two c; do wait_until "[ -e inside.$name ]"; done
expect_code 0 atmost list
expect_in out "	./one.sh"
expect_in out "	$PWD/two.sh"
if grep -q 'password\|user@host\|secret' out; then fail "list shows arguments"; fi
expect_code 0 atmost list --json
expect_in out '"command":"sh","state":"held",'
expect_in out '"path":"./one.sh"}'
[ "$(grep -c '"path":' out)" = 2 ] || fail "a path of what has none: $(cat out)"
touch end
for pid in $started_all; do wait "$pid"; done
