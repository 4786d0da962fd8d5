#!/bin/sh
# A full disk costs history, not jobs; when there is room again, the next line is whole.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "mounting needs root"
mkdir disk
unshare -m true 2>/dev/null || skip "no mount namespace"
cat >inside.sh <<'SH'
set -eu
mount -t tmpfs -o size=64k none disk || exit 125
mount -t tmpfs none locks
atmost run --log disk/log job -- true
dd if=/dev/zero of=disk/fill bs=1k 2>/dev/null || :
code=0
runs=0
while [ ! -s warned ] && [ $runs -lt 200 ]; do
  atmost run --log disk/log job -- sh -c 'exit 7' 2>warned || code=$?
  [ "$code" = 7 ] || exit 1
  runs=$((runs + 1))
done
grep -q 'No space left on device' warned
[ "$(wc -l <warned)" = 1 ]
rm disk/fill
atmost run --log disk/log --id last job -- true
atmost history -q --log disk/log --json | tail -n 1 | grep -q '"id":"last"'
SH
code=0
unshare -m sh inside.sh || code=$?
[ "$code" != 125 ] || skip "no tmpfs"
[ "$code" = 0 ] || fail "ended with $code: $(cat warned 2>/dev/null)"
