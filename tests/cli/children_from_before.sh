#!/bin/sh
# A shell that becomes atmost with exec may have had children: they are neither waited for nor
# stopped, and the processes that the command starts are still distinguished from them.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "needs the adoption of orphans"

cat >daemon <<'EOF'
echo $$ >main
setsid sh -c 'trap "" INT TERM HUP; echo $$ >new && mv new pid; while :; do sleep 1; done' &
while [ ! -e pid ]; do sleep 0.01; done
EOF
after_exec() { sh -c 'sleep 100 & echo $! >before; exec atmost run "$@"' sh "$@"; }
alive() { kill -0 "$(cat "$1")" 2>/dev/null; }

expect_code 0 after_exec --until=tree shared echo hello
expect_in out hello
alive before || fail "a child of the shell was stopped"
kill "$(cat before)"

expect_code 124 after_exec --max-runtime 300ms --kill-grace 100ms shared sh -c '. ./daemon; sleep 100'
alive pid && fail "a daemon of the command outlived it"
alive before || fail "a child of the shell was stopped"
kill "$(cat before)"

rm pid
start sh -c 'sleep 100 & echo $! >before; exec atmost run --until=tree shared sh ./daemon'
wait_until '[ -e pid ]'
wait_until '! alive main'
expect_code 75 atmost run shared true
kill -TERM "$started"
kill -9 "$(cat pid)"
expect_end 0 "$started"
expect_code 0 atmost run shared true
kill "$(cat before)"

expect_code 7 after_exec shared sh -c 'exit 7'
kill "$(cat before)"
expect_code 143 after_exec shared sh -c 'kill -TERM $$'
kill "$(cat before)"

rm main
# The death of the process in between has no effect.
start sh -c 'sleep 100 & echo $! >before; exec atmost run shared sh -c "echo \$\$ >new && mv new main; exec sleep 100"'
wait_until '[ -e main ]'
kill -9 "$started"
expect_end 137 "$started"
alive main || fail "the command died with who stood above it"
expect_code 75 atmost run shared true
kill "$(cat main)"
wait_until 'atmost run -q shared true'
kill "$(cat before)"
