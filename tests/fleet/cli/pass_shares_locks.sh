#!/bin/sh
# A pass finds what others hold: busy, drained, overdue; -n of the file counts over all hosts.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"
export ATMOST_STORE="$FLEET_STORE"

cat >f <<END
[[atom]]
operator = "shared"
operand = "job"
max = 2
expire_after = "10m"
command = ["touch", "$folder/ran"]
END
start as_host red atmost run -n 2 shared:job sleep 100
red=$started
start as_host red atmost run -n 2 shared:job sleep 100
wait_until '[ "$(atmost check shared:job)" = 2 ]'
expect_code 0 atmost pass -v f
expect_in err "shared:job: busy: 2 of 2 run"
expect_code 0 atmost pass --dry-run f
expect_in out "shared:job: busy: 2 of 2 run"
kill "$red"
wait_until '[ "$(atmost check shared:job)" = 1 ]'
expect_code 0 atmost drain shared:job
expect_code 0 atmost pass -v f
expect_in err "drained"
[ ! -e ran ] || fail "it ran while it was drained"
expect_code 0 atmost resume shared:job
expect_code 0 atmost pass --dry-run f
expect_in out "shared:job: would run"
[ ! -e ran ] || fail "a dry run ran it"
expect_code 0 atmost pass -v f
expect_in err "shared:job: ran"
[ -e ran ] || fail "it did not run"

# A job that has overrun, on another host, stops itself and makes place.
cat >g <<END
[[atom]]
operator = "shared"
operand = "overdue"
expire_after = "1"
kill_grace = "1"
command = ["touch", "$folder/taken"]
END
start as_host red atmost run shared:overdue sleep 100
red=$started
wait_until '[ "$(atmost check shared:overdue)" = 1 ]'
wait_until 'atmost pass --dry-run g | grep -q "would run, after stopping an overdue one"'
expect_code 0 atmost pass -v g
[ -e taken ] || fail "the overdue holder was not replaced: $(cat err)"
expect_end 79 "$red"

# One for each host, if a host is named.
expect_code 0 atmost pass -v --host blue g
expect_code 0 atmost list --json
start atmost run --host blue shared:overdue sleep 100
wait_until '[ "$(atmost check --host blue shared:overdue)" = 1 ]'
sed -i '/expire_after/d' g
expect_code 0 atmost pass -v --host blue g
expect_in err "busy"
expect_code 0 atmost pass -v --host green g
expect_in err "ran"
