#!/bin/sh
# A killed supervisor, whose monitor lives: what its command left behind is stopped, and then its
# lease is ended, however long that is. A supervisor that was killed while it waited leaves the
# queue as fast.
. "$(dirname "$0")/lib.sh"
export ATMOST_STORE="$FLEET_STORE"

# With a daemon that will not go; its parent is the supervisor.
cat >job <<'EOF'
setsid sh -c 'trap "" INT TERM HUP; echo $$ >new && mv new daemon; while :; do sleep 1; done' &
echo $PPID >new_supervisor && mv new_supervisor supervisor
exec sleep 1000
EOF
# A zombie is killed, but not waited for yet.
cat >look <<'EOF'
state=$(sed -n 's/^State:[[:space:]]*//p' "/proc/$(cat daemon)/status" 2>/dev/null)
case $state in '' | Z* | X*) echo nothing ;; *) echo "left: $state" ;; esac
EOF
start atmost run --ttl 10m killed sh ./job 2>words
wait_until '[ -e daemon ] && [ -e supervisor ]'
kill -KILL "$(cat supervisor)"
expect_code 0 atmost run -w 30s killed sh ./look
expect_in out nothing
expect_end 137 "$started"
expect_in words 'then its lease is ended'
expect_line 1 words

# While it waits, the first of the queue.
child_of() { tr -d ' ' <"/proc/$1/task/$1/children"; }
waiters() { atmost list --json killed | grep -c '"waiting"' || :; }
start atmost run --ttl 10m killed sh -c 'touch begun; until [ -e go ]; do sleep 0.05; done'
holder=$started
wait_until '[ -e begun ]'
start atmost run -w inf --ttl 10m killed true
first=$started
wait_until '[ "$(waiters)" -eq 1 ]'
kill -KILL "$(child_of "$first")"
expect_end 137 "$first"
wait_until '[ "$(waiters)" -eq 0 ]'
touch go
expect_end 0 "$holder"
expect_code 0 atmost run -w 30s killed true
