#!/bin/sh
# --queue-max M: a caller does not wait if M wait already.
. "$(dirname "$0")/lib.sh"

mkfifo gate
start atmost run job sh -c 'read -r line <gate'
wait_until '[ "$(atmost check job)" = 1 ]'
start atmost run -w inf --id first job true
wait_until 'atmost list --json job | grep -q first'
expect_code 75 atmost run -w inf --queue-max 1 job true
expect_line 1 err
expect_in err "atmost: busy: job: the queue is full: 1 waits already"
expect_code 75 atmost run --json -w inf --queue-max 0 job true
expect_in err '"reason":"queue_full"'
start atmost run -w inf --queue-max 2 --id second job true
wait_until 'atmost list --json job | grep -q second'
expect_code 75 atmost run -w inf --queue-max 2 job true
expect_in err "the queue is full: 2 wait already"
expect_code 0 atmost history job
expect_in out "busy: queue full, 1 waiting"
echo go >gate
for pid in $started_all; do expect_end 0 "$pid"; done

expect_code 0 atmost run -w inf --queue-max 0 job true # it need not wait
expect_code 64 atmost run --queue-max 1 job true
expect_in err "--queue-max: this caller does not wait: give it with --wait"
