#!/bin/sh
# A full default log, two files of 64 MiB with 60 locks: atmost jobs takes 1.5 s of processor time
# at most; with --since yesterday it reads no more than the days from then on, by the count of the
# kernel and of strace; and its numbers are those of stats and of the page.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-jobs" ] || skip "built without the back tier"
[ -x /usr/bin/time ] || skip "no /usr/bin/time"
command -v python3 >/dev/null || skip "no python3"

# 60 locks, of which one has a start each 20 s, until now.
TZ=UTC
export TZ
now=$(date +%s)
awk -v now="$now" 'BEGIN {
  full = 64 * 1048576; runs = 167000; size = 0; file = "locks/history.jsonl.1"
  for (run = 0; run < runs; run++) {
    lock = run % 60; at = now - (runs - run) * 20; token = run + 1; ran = 5 + run % 13
    head = sprintf("\"host\":\"alder\",\"lock\":\"job-%02d\",\"path\":\"%s/job-%02d.lock\",\"max\":1,\"take\":1,\"slot\":1,\"token\":%d,\"pid\":19217,\"uid\":0,\"command\":\"rsync\",", lock, ENVIRON["ATMOST_DIR"], lock, token)
    line = sprintf("{\"v\":1,\"event\":\"admitted\",\"at\":%d.000000,%s\"waited_s\":0.000000,\"id\":\"%0100d\"}\n", at, head, 0)
    line = line sprintf("{\"v\":1,\"event\":\"ended\",\"at\":%d.000000,%s\"exit\":%d,\"waited_s\":0.000000,\"ran_s\":%d.000000,\"cpu_s\":12.031000,\"peak_kib\":18432,\"id\":\"%0100d\"}\n", at + ran, head, run % 97 == 0, ran, 0)
    size += length(line)
    if (size > full) { file = "locks/history.jsonl"; size = length(line) }
    printf "%s", line >file
  }
}'
one=$(wc -c <locks/history.jsonl.1) two=$(wc -c <locks/history.jsonl)
[ "$one" -gt 67000000 ] && [ "$two" -gt 60000000 ] || fail "the log is not full: $one and $two bytes"

/usr/bin/time -o used -f '%e %U %S' atmost jobs >out
read -r s user system <used
echo "jobs of $one and $two bytes: $s s, $user + $system s of processor time"
expect_line 61 out
awk "BEGIN { exit !($user + $system <= 1.5) }" || fail "$user + $system s of processor time"

yesterday=$((now / 86400 * 86400 - 86400))
wanted=$(cat locks/history.jsonl.1 locks/history.jsonl |
  awk -F '"at":' -v from="$yesterday" '{ at = $2 + 0; if (at >= from) size += length($0) + 1 } END { printf "%d", size }')
atmost jobs --since yesterday >first
# A search for the beginning, and what a program reads to start and of the locks.
most=$((wanted + 1500000))
if grep -q '^rchar:' /proc/$$/io 2>/dev/null; then
  read_so_far() { sed -n 's/^rchar: //p' /proc/$$/io; }
  before=$(read_so_far)
  atmost jobs --since yesterday >out
  read=$(($(read_so_far) - before))
  echo "jobs --since yesterday: $read bytes by the kernel, of $wanted of those days"
  [ "$read" -ge "$wanted" ] && [ "$read" -le "$most" ] || fail "$read bytes, of $wanted"
fi
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
  strace -f -y -e trace=read,pread64,readv,mmap -o calls atmost jobs --since yesterday >out
  if grep 'mmap(.*history\.jsonl' calls; then fail "mapped, which is not counted"; fi
  read=$(sed -n 's/.*history\.jsonl.*) = \([0-9][0-9]*\)$/\1/p' calls | awk '{ sum += $1 } END { printf "%d", sum }')
  echo "jobs --since yesterday: $read bytes of the log by strace"
  [ "$read" -ge "$wanted" ] && [ "$read" -le "$most" ] || fail "$read bytes by strace, of $wanted"
fi

for since in inf yesterday; do
  atmost jobs --since $since --json >jobs.json
  atmost stats --since $since --json >stats.json
  atmost report --since $since -o page.html
  python3 - <<'PY'
import json, re
jobs = {one["lock"]: one for one in map(json.loads, open("jobs.json"))}
stats = {one["lock"]: one for one in map(json.loads, open("stats.json"))}
page = open("page.html").read()
assert len(jobs) == len(stats) == 60, (len(jobs), len(stats))
for lock, of in stats.items():
    job = jobs[lock]
    for mine, theirs in (("last_start", "last_start"), ("last_success", "last_success"), ("usually_s", "run_p50_s")):
        assert job[mine] == of[theirs], (job, of)
    row = re.search(rf'>{lock}</a>.*?</tr>', page, re.S).group()
    cells = re.findall(r'<td(?: class="trouble")? data-v="([^"]*)"', row)
    assert (float(cells[1]), float(cells[2])) == (of["runs"], of["failure"]), (cells, of)
    assert abs(float(cells[8]) - job["usually_s"]) < 0.001, (cells, job)
PY
done
