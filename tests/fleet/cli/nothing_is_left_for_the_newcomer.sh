#!/bin/sh
# A holder that is stopped through the lock keeps it until nothing of its tree is left, though its
# main process ends at once.
. "$(dirname "$0")/lib.sh"
export ATMOST_STORE="$FLEET_STORE"

# With a daemon that will not go.
cat >job <<'EOF'
setsid sh -c 'trap "" INT TERM HUP; echo $$ >new && mv new daemon; while :; do sleep 1; done' &
exec sleep 100
EOF
write_look
begin() {
  rm -f daemon
  start atmost run --kill-grace 300ms wanted sh ./job
  wait_until '[ -e daemon ]'
  sh ./look >out
  expect_in out left
}

begin
expect_code 0 atmost run --kill-grace 300ms --on-busy=replace wanted sh ./look
expect_in out nothing
expect_end 79 "$started"

begin
expect_code 0 atmost run --kill-grace 300ms --expire-after 0 wanted sh ./look
expect_in out nothing
expect_end 79 "$started"

begin
expect_code 0 atmost kill wanted
sh ./look >out
expect_in out nothing
expect_end 79 "$started"

# Without its monitor it is stopped as well.
begin
kill -9 "$started"
expect_end 137 "$started"
expect_code 0 atmost run -w 30s wanted sh ./look
expect_in out nothing
