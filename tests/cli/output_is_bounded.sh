#!/bin/sh
# --output=on-failure: while the command writes, its output takes no more room than --output-max and
# what is written in a moment; also when atmost has gone and what the command left behind writes on.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "POSIX alone cannot free the middle of a file"

# 25 MB/s at most, whatever the machine, so that a moment is 5 MB; a loaded machine may look late.
cat >writer <<'SH'
i=0
while [ $i -lt "$1" ]; do
  head -c 1000000 /dev/zero
  i=$((i + 1))
  [ $((i % 5)) != 0 ] || sleep 0.2
done
SH
kept() { stat -L -c '%b %s' "/proc/$1/fd/1"; }
most=$(((4 + 26) * 1048576 / 512))

start atmost run --output=on-failure --output-max 4M job -- sh -c 'echo $$ >pid; exec sh writer 200'
wait_until '[ -s pid ]'
pid=$(cat pid)
largest=0
while got=$(kept "$pid" 2>/dev/null); do
  [ "${got% *}" -le "$largest" ] || largest=${got% *}
  size=${got#* }
  sleep 0.05
done
wait "$started" || fail "it ended with $?"
[ "$size" -ge 150000000 ] || fail "seen only up to $size bytes"
[ "$largest" -le "$most" ] || fail "$largest blocks of 512 bytes"

# Left behind: its lock is free, nothing of it is shown, and a process without descriptors of the
# lock frees the middle until the writer has ended; then it ends, too.
start atmost run --output=on-failure --output-max 64K job -- \
  sh -c 'setsid sh writer 100000 & echo $! >left; sleep 0.3'
expect_end 0 "$started"
[ "$(atmost check job)" = 0 ] || fail "the lock is held"
left=$(cat left)
wait_until 'size=$(kept "$left"); [ "${size#* }" -gt 30000000 ]'
for _ in 1 2 3 4 5; do
  got=$(kept "$left")
  [ "${got% *}" -le "$most" ] || fail "$got: blocks and bytes of what was left behind"
  sleep 0.1
done
inode=$(stat -L -c %i "/proc/$left/fd/1")
keeper=
for fd in /proc/[0-9]*/fd/*; do
  process=${fd#/proc/}
  process=${process%%/*}
  [ "$(stat -L -c %i "$fd" 2>/dev/null)" = "$inode" ] || continue
  [ "$(cat "/proc/$process/comm" 2>/dev/null)" != atmost ] || keeper=$process
done
[ -n "$keeper" ] || fail "nobody looks after it"
[ "$(find "/proc/$keeper/fd" -type l | wc -l)" = 1 ] || fail "$(ls -l "/proc/$keeper/fd")"
kill -KILL -"$left" 2>/dev/null || kill -KILL "$left"
wait_until '[ ! -e /proc/$keeper/fd ] || [ "$(cut -d " " -f 3 "/proc/$keeper/stat")" = Z ]'
