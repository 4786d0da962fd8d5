#!/bin/sh
# flock(1) around atmost on one file, and atmost around flock(1).
. "$(dirname "$0")/lib.sh"
command -v flock >/dev/null || skip "no flock(1)"
[ -z "${ATMOST_PORTABLE-}" ] || skip "POSIX has no flock(2)"

# Without the option both work, as they always did.
expect_code 0 flock -n f -c 'atmost run --no-history ./f true'
expect_line 0 err
expect_code 0 atmost run --no-history ./f flock -n f true

# With it the outer one is the caller's own: refused at once, with any wait. The descriptor is
# inherited (flock, exec) or closed in the command (flock -o).
: >f
for how in -x -o; do
  expect_code 75 flock -n "$how" f -c 'atmost run --no-history --with-flock -w 20 ./f true'
  expect_in err "busy: ./f: you hold it yourself"
done
expect_code 75 sh -c 'exec 9>f && flock -n 9 && atmost run --no-history --with-flock -w 20 ./f true'
expect_in err "busy: ./f: you hold it yourself"
expect_code 75 sh -c 'exec 9>f && flock -n 9 && atmost hold --no-history --with-flock -w 20 --for-pid $$ ./f'
expect_in err "busy: ./f: you hold it yourself"
# Two that share go together.
expect_code 0 flock -n -s f -c 'atmost run --no-history --with-flock -n 2 ./f true'
expect_code 1 atmost run --no-history --with-flock ./f flock -n f true
expect_code 0 atmost run --no-history --with-flock -n 2 ./f flock -n -s f true
# The lock itself comes first, as ever.
expect_code 75 atmost run --no-history --with-flock ./f atmost run --no-history --with-flock -w 20 ./f true
expect_in err "busy: ./f: you hold it yourself"
