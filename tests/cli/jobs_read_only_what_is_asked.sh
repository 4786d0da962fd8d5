#!/bin/sh
# Of a long history --since reads the end alone: the bytes that the program read are counted by the
# kernel.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-jobs" ] || skip "built without the back tier"
grep -q '^rchar:' /proc/$$/io 2>/dev/null || skip "no count of bytes in /proc"

# Two generations of 6 MB, a line every two minutes, the last of them now.
now=$(date +%s)
awk -v now="$now" 'BEGIN {
  for (i = 39999; i >= 0; i--) {
    at = now - i * 120
    printf "{\"v\":1,\"event\":\"ended\",\"at\":%d.000000,\"host\":\"alder\",\"lock\":\"job%d\",\"path\":\"/none/job%d.lock\",\"max\":1,\"slot\":1,\"token\":%d,\"pid\":7,\"uid\":0,\"command\":\"rsync\",\"exit\":0,\"waited_s\":0.000000,\"ran_s\":60.000000,\"id\":\"%0100d\"}\n", \
      at, i % 60, i % 60, at, 0 > (i >= 20000 ? "locks/history.jsonl.1" : "locks/history.jsonl")
  }
}'

# Of children that have ended, too.
read_so_far() { sed -n 's/^rchar: //p' /proc/$$/io; }
size=$(cat locks/history.jsonl locks/history.jsonl.1 | wc -c)
before=$(read_so_far)
atmost jobs >out
all=$(($(read_so_far) - before))
[ "$all" -gt "$size" ] || fail "$all bytes counted, of $size: this count is wrong"
before=$(read_so_far)
atmost jobs --since 1d >out
day=$(($(read_so_far) - before))
[ "$(wc -l <out)" = 61 ] || fail "not each lock: $(cat out)"
# A day is 720 lines; twice the search, and what a program reads to start.
wanted=$(tail -n 720 locks/history.jsonl | wc -c)
[ "$day" -lt $((wanted + 1500000)) ] || fail "$day bytes for a day of $wanted, of $size"
for command in stats history report; do
  before=$(read_so_far)
  atmost $command --since 1d >out
  part=$(($(read_so_far) - before))
  [ "$part" -lt $((wanted + 1500000)) ] || fail "$command: $part bytes for a day of $wanted"
done
[ "$(atmost stats --since 1d --json | wc -l)" = 60 ] || fail "stats: not each lock"
[ "$(atmost history --since 1d --json | wc -l)" -ge 719 ] || fail "history: not each line"
