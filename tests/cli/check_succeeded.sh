#!/bin/sh
# check --succeeded-within compares the time since the last success; with --nagios it answers like
# a plug-in.
. "$(dirname "$0")/lib.sh"

expect_code 1 atmost check --succeeded-within 1h backup
expect_in out 'backup: no success is known'
expect_line 1 out
[ -z "$(ls locks)" ] || fail "check created $(ls locks)"
expect_code 9 atmost run backup sh -c 'exit 9'
expect_code 1 atmost check --succeeded-within inf backup
expect_code 2 atmost check --succeeded-within 1h --nagios backup
expect_in out 'ATMOST CRITICAL - backup: no success is known'

now=$(date +%s)
expect_code 0 atmost run backup true
expect_code 0 atmost check --succeeded-within 1h backup
expect_in out 'backup: the last success was '
expect_code 0 atmost check --succeeded-within 1h -q backup
expect_line 0 out
# Failures since then, a holder and a drained lock change nothing.
expect_code 9 atmost run backup sh -c 'exit 9'
expect_code 0 atmost drain backup
expect_code 0 atmost check --succeeded-within 1h backup
expect_code 0 atmost resume backup
start atmost run backup sleep 60
wait_until '[ "$(atmost check backup)" = 1 ]'
expect_code 0 atmost check --succeeded-within 1h --nagios backup
grep -Eqx 'ATMOST OK - backup: the last success was [^|]* ago\|age=[0-9.]+s;;3600;0' out || fail "$(cat out)"

expect_code 0 atmost check --succeeded-within 1h --now $((now + 3500)) backup
expect_code 1 atmost check --succeeded-within 1h --now $((now + 3700)) backup
expect_in out 'backup: the last success was 1h'
expect_code 1 atmost check --succeeded-within 1h --json --now $((now + 3700)) backup
expect_in out '{"lock":"backup","succeeded":false,"age_s":3'
expect_in out ',"within_s":3600.000000}'
# A clock that was set back does not make a success.
expect_code 1 atmost check --succeeded-within 1h --now $((now - 3600)) backup
expect_in out 'backup: the last success lies in the future: the clock was set back'

# A bar would begin a plug-in's numbers.
expect_code 0 atmost run 'a|b' true
expect_code 0 atmost check --succeeded-within 1h --nagios 'a|b'
expect_in out 'ATMOST OK - a!b: the last success was '
mkdir locks/folder
expect_code 3 atmost check --succeeded-within 1h --nagios ./locks/folder
expect_in out 'ATMOST UNKNOWN - '
expect_code 74 atmost check --succeeded-within 1h ./locks/folder

expect_code 64 atmost check --nagios backup
expect_in err '--nagios: answers --succeeded-within DUR: add it'
expect_code 64 atmost check --succeeded-within 1h -n 2 backup
expect_in err '--succeeded-within: answers alone: leave the other conditions out'
expect_code 64 atmost check --succeeded-within 0 backup

expect_code 64 atmost check --store symlink: --succeeded-within 1h link
expect_in err '--succeeded-within: a symlink lock remembers no run: use a lock file'
