#!/bin/sh
# Every range of the lock file, its holder and its hints, in words.
. "$(dirname "$0")/lib.sh"
[ "${ATMOST_PORTABLE-}" ] && skip "other processes cannot be seen in a POSIX-only build"

expect_code 0 atmost explain ./a.lock
expect_in out "does not exist"
[ ! -e a.lock ] || fail "explain made the file"

escape=$(printf 'a\033[2J')
start atmost run -n 2 --id "$escape" ./a.lock -- sleep 100
holder=$started
wait_until 'atmost explain ./a.lock >out && grep -q "slot 1: process" out'
start atmost run -n 2 --exec ./a.lock -- sleep 100
replaced=$started
wait_until 'atmost explain ./a.lock >out && grep -q "slot 2: process" out'
start atmost run -n 2 -w 100 ./a.lock -- true
waiter=$started
# It locks its ticket first and notes the number then.
wait_until 'atmost explain -v ./a.lock >out && grep -qF "process $waiter (atmost" out && ! grep -q "ticket drawn: 0" out'

expect_in out "slot 1: process $holder (atmost, user $(id -u)), by description; process "
expect_in out "slot 2: process $replaced (sleep, user $(id -u)), by description"
expect_in out "queue of -n 2, ticket "
expect_in out "process $waiter (atmost, user $(id -u)), by description"
expect_in out "the index: 9, slots up to 2 are or were in use"
expect_in out "the header: whole, written to this file"
expect_in out "slot 1: word of thread $holder, alive"
expect_in out "record: process $replaced, user $(id -u), by --exec"
expect_in out "id 'a\\x1B[2J'"
expect_in out "(the locks are right): none"
if grep -q "$(printf '\033')" out; then fail "an escape sequence came through"; fi

# The memory from which auto limits are learned.
expect_in out "bytes 8192 to 9943, the lock's memory, which auto limits are learned from: nothing"
for _ in 1 2 3; do expect_code 0 atmost run ./b.lock true; done
expect_code 0 atmost explain -v ./b.lock
expect_in out "3 runs ended by themselves, 0 by a limit, 0 by others"
expect_in out "runs of up to "
expect_in out "intervals between requests of up to "

# No caller is admitted to a file with a second name.
ln b.lock c.lock
expect_code 0 atmost explain ./c.lock
expect_in out "atmost run refuses it: ./c.lock: has other hard links"
