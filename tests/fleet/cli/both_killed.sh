#!/bin/sh
# Supervisor and monitor are killed at once: of a command in a pid namespace of its own (unshare
# --kill-child) nothing is left, for the kernel ends that namespace; the next one is admitted when
# the lease has ended.
. "$(dirname "$0")/lib.sh"
export ATMOST_STORE="$FLEET_STORE"
unshare --pid --fork --kill-child true 2>/dev/null || skip "no pid namespaces for this user"

# Its number is one of this namespace; the file that it keeps open is known here.
cat >job <<'EOF'
setsid sh -c 'trap "" INT TERM HUP; exec 9<kept; touch daemon; while :; do sleep 1; done' &
exec sleep 1000
EOF
kept_open() { find /proc/[0-9]*/fd/9 -lname "$folder/kept" 2>/dev/null | grep -q .; }
echo 'find /proc/[0-9]*/fd/9 -lname "$PWD/kept" 2>/dev/null | grep -q . && echo left || echo nothing' >look
touch kept
start atmost run --ttl 6s --kill-grace 300ms both unshare --pid --fork --kill-child sh ./job
wait_until '[ -e daemon ]'
kept_open || fail "no daemon"
supervisor=$(tr -d ' ' <"/proc/$started/task/$started/children")
# Stopped, none of the two can do anything about the other's end.
kill -STOP "$started" "$supervisor"
kill -KILL "$started" "$supervisor"
expect_end 137 "$started"
expect_code 0 atmost run -w 30s both sh ./look
expect_in out nothing
