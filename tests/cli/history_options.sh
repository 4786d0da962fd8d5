#!/bin/sh
# --log chooses the file, --log-args adds the arguments, --no-history keeps quiet.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost run --no-history job -- true
[ ! -e locks/history.jsonl ] || fail "--no-history wrote a history"
expect_code 0 atmost run --log own.jsonl job -- sh -c 'true # secret'
[ ! -e locks/history.jsonl ] || fail "--log wrote two histories"
! grep -q secret own.jsonl || fail "arguments were logged without --log-args"
expect_code 0 atmost run --log own.jsonl --log-args job -- sh -c 'true # secret'
expect_in own.jsonl '"args":["sh","-c","true # secret"]'
expect_code 0 atmost history --log own.jsonl --json --event admitted
expect_line 2 out
expect_code 64 atmost run --no-history --log-args job -- true
expect_in err "--no-history"

# The log of a lock is not the lock.
expect_code 0 atmost run --log ./x.lock ./x.lock -- true
expect_in err "lock file itself"
! grep -q admitted x.lock || fail "the log was written into the lock file"
