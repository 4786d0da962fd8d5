#!/bin/sh
# --output=on-failure on a disk without room: nothing starts, with a message; if it fills up while
# the command runs, the output so far is shown, with a warning.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "POSIX alone cannot free the middle of a file"
[ "$(id -u)" = 0 ] || skip "mounting needs root"
mkdir disk
unshare -m true 2>/dev/null || skip "no mount namespace"
cat >inside.sh <<'SH'
set -eu
mount -t tmpfs -o size=512k none disk || exit 125
mount -t tmpfs none locks
TMPDIR=$PWD/disk
export TMPDIR
code=0
atmost run --output=on-failure job -- sh -c 'seq 200000; exit 5' >out 2>err || code=$?
[ "$code" = 5 ]
grep -q 'no room is left for the command.s output, and some of it may be missing' err
[ "$(head -n 1 out)" = 1 ]
dd if=/dev/zero of=disk/fill bs=1k 2>/dev/null || :
code=0
atmost run --output=on-failure job -- touch ran 2>err || code=$?
[ "$code" = 74 ]
grep -q 'the output cannot be kept in .*: No space left on device' err
[ ! -e ran ]
SH
code=0
unshare -m sh inside.sh || code=$?
[ "$code" != 125 ] || skip "no tmpfs"
[ "$code" = 0 ] || fail "ended with $code: $(cat out err 2>/dev/null | tail -5)"
