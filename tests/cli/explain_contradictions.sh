#!/bin/sh
# Wrong hints are shown as wrong, and the locks beside them as they are.
. "$(dirname "$0")/lib.sh"
[ "${ATMOST_PORTABLE-}" ] && skip "other processes cannot be seen in a POSIX-only build"

start atmost run -n 4 ./a.lock -- sleep 100
wait_until 'atmost explain ./a.lock >out && grep -q "slot 1: process" out'

# The words of slots 1 and 3 name process 1; by the index no slot was ever used.
printf '\001\000\000\000' | dd of=a.lock bs=1 seek=2097152 conv=notrunc 2>/dev/null
printf '\001\000\000\000' | dd of=a.lock bs=1 seek=2097168 conv=notrunc 2>/dev/null
printf '\000' | dd of=a.lock bs=1 seek=0 conv=notrunc 2>/dev/null
expect_code 0 atmost explain ./a.lock
expect_in out "slot 1: its word names a process that does not hold it"
expect_in out "slot 3: is free, but its word says that a supervisor lives in it"
expect_in out "slot 1: is held, but the index admits no slot"

# With a damaged header the words do not count.
printf 'XX' | dd of=a.lock bs=1 seek=4112 conv=notrunc 2>/dev/null
expect_code 0 atmost explain -v ./a.lock
expect_in out "the header: damaged"
expect_in out "slot 3: word of thread 1, of another boot or file"

# A document is distinguished from a lock file, and its lock's holder is shown nevertheless.
printf '%4096s hello' x >document
expect_code 0 atmost explain ./document
expect_in out "not a lock file"

mkdir directory
expect_code 74 atmost explain ./directory/../directory
expect_in err "is not a regular file"
ln -s a.lock link
expect_code 74 atmost explain ./link
expect_in err "symbolic link"
