#!/bin/sh
# On a full disk doctor names that fault alone: trials that would have to write are left out.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "mounting needs root"
mkdir disk
unshare -m true 2>/dev/null || skip "no mount namespace"
cat >inside.sh <<'SH'
set -eu
mount -t tmpfs -o size=64k none disk || exit 125
chmod 700 disk
dd if=/dev/zero of=disk/fill bs=1k 2>/dev/null || :
code=0
atmost doctor disk >out || code=$?
[ "$code" = 74 ]
[ "$(grep '^FAIL' out | cut -c 7-12)" = create ]
grep -q '^warn  room ' out
# This machine may have warnings of its own.
[ "$(sed -n '/^ok    directory/,$s/^warn  \([a-z-]*\) .*/\1/p' out)" = room ]
code=0
atmost run --dir disk job true 2>err || code=$?
[ "$code" = 74 ]
grep -q 'job.lock: cannot .* the lock file: No space left on device' err
SH
code=0
unshare -m sh inside.sh || code=$?
[ "$code" != 125 ] || skip "no tmpfs"
[ "$code" = 0 ] || fail "ended with $code: $(cat out err 2>/dev/null)"
