#!/bin/sh
# The monitor is stopped, and then its supervisor is killed. At that moment the kernel continues the
# monitor, which stops the rest of the command before another caller is admitted.
. "$(dirname "$0")/lib.sh"
export ATMOST_STORE="$FLEET_STORE"
[ ! "${ATMOST_PORTABLE-}" ] || skip "there is no monitor"

cat >job <<'EOF'
setsid sh -c 'trap "" INT TERM HUP; echo $$ >new && mv new daemon; while :; do sleep 1; done' &
echo $PPID >new_supervisor && mv new_supervisor supervisor
exec sleep 1000
EOF
write_look
start atmost run --ttl 6s --kill-grace 300ms stopped sh ./job
monitor=$started
wait_until '[ -e daemon ] && [ -e supervisor ]'
kill -STOP "$monitor"
wait_until '[ "$(state_of "$monitor")" = T ]'
kill -KILL "$(cat supervisor)"
expect_code 0 atmost run -w 30s stopped sh ./look
expect_in out nothing
expect_end 137 "$monitor"
