#!/bin/sh
# explain shows holders, waiters and faults in a few lines; bytes and hints only with -v.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "POSIX alone does not say who holds a lock"

expect_code 0 atmost run ./a.lock true
expect_code 0 atmost explain ./a.lock
expect_in out '  nobody holds it, nobody waits'
expect_in out '  last start: '
expect_in out '(the locks are right): none'
expect_in out 'every byte range and hint: atmost explain -v'
if grep -q '^  bytes\|occupancy\|inode' out; then fail "details: $(cat out)"; fi

start atmost run ./a.lock sleep 100
holder=$started
wait_until '[ "$(atmost check ./a.lock)" = 1 ]'
start atmost run -w inf ./a.lock true
wait_until 'atmost list ./a.lock | grep -q waiting'
expect_code 0 atmost drain ./a.lock
expect_code 0 atmost explain ./a.lock
expect_in out "  slot 1: process $holder ("
expect_in out '  queue of -n 1, ticket '
expect_in out '  drained: nobody is admitted until resume'
[ "$(wc -l <out)" -le 17 ] || fail "$(wc -l <out) lines: $(cat out)"

# A contradiction of the locks is shown without -v, too.
printf '\001\000\000\000' | dd of=a.lock bs=1 seek=2097152 conv=notrunc 2>/dev/null
expect_code 0 atmost explain ./a.lock
expect_in out "slot 1: its word names a process that does not hold it"
printf 'XX' | dd of=a.lock bs=1 seek=4112 conv=notrunc 2>/dev/null
expect_code 0 atmost explain ./a.lock
expect_in out 'header: damaged'
