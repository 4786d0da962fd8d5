#!/bin/sh
# atmost simulate replays a log, ours or in the Standard Workload Format, and compares limits.
. "$(dirname "$0")/lib.sh"

# Two users' programs of 40 runs: one always takes 100 s, the other 10 s and once 2000 s.
{
  echo '; a comment'
  i=0
  while [ $i -lt 40 ]; do
    echo "$i $((i * 3600)) -1 100 1 -1 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1"
    echo "$i $((i * 3600 + 1)) -1 $((i == 30 ? 2000 : 10)) 1 -1 -1 -1 -1 -1 -1 2 1 1 -1 -1 -1 -1"
    i=$((i + 1))
  done
} >jobs.swf

expect_code 0 atmost simulate jobs.swf
expect_in out 'all: 2 locks, 80 runs'
expect_in out 'auto, --auto-risk 5'
expect_in out 'largest ever (oracle)'
expect_line 0 err

# The largest so far times four kills the long run at 40, 80, 160, 320, 640 and 1280 s.
expect_code 0 atmost simulate --json jobs.swf
expect_in out '{"part":"all","rule":"largest so far x 4","locks":2,"runs":80,"scored":70,"wrong_kills":6,"per_1000":85.714,"killed_runs":1,"most_kills":6,'
expect_in out '"rule":"largest ever (oracle)","locks":2,"runs":80,"scored":70,"wrong_kills":0,'
expect_line 7 out

# From standard input, compressed or not.
atmost simulate jobs.swf >named
atmost simulate - <jobs.swf >piped
cmp named piped || fail "standard input gives something else"

# A failed run is left out, a cancelled one does not count as good.
sed 's/^30 108001 -1 2000 1 -1 -1 -1 -1 -1 -1/30 108001 -1 2000 1 -1 -1 -1 -1 -1 0/' jobs.swf >failed.swf
expect_code 0 atmost simulate --json failed.swf
expect_in out '"rule":"largest so far x 4","locks":2,"runs":79,"scored":69,"wrong_kills":0,'
sed 's/^30 108001 -1 2000 1 -1 -1 -1 -1 -1 -1/30 108001 -1 2000 1 -1 -1 -1 -1 -1 5/' jobs.swf >cancelled.swf
expect_code 0 atmost simulate --json cancelled.swf
expect_in out '"rule":"largest so far x 4","locks":2,"runs":80,"scored":69,"wrong_kills":0,'
expect_in out '"hangs":1,"unnoticed":0,"notice":4,'

expect_code 0 atmost simulate --json --auto-risk 0.5 --split user jobs.swf
expect_in out '{"part":"some users","rule":"auto, --auto-risk 0.5","risk":0.5,"locks":1,"runs":40,'
expect_line 21 out
expect_code 0 atmost simulate --split time jobs.swf
expect_in out 'second half: 2 locks, 40 runs'

if command -v gzip >/dev/null; then
  gzip -k jobs.swf
  atmost simulate jobs.swf >plain
  atmost simulate jobs.swf.gz >compressed
  cmp plain compressed || fail "a compressed log gives something else"
  head -c 100 jobs.swf.gz >torn.gz
  expect_code 74 atmost simulate torn.gz
  expect_in err 'torn.gz: '
fi

# Our own history. Runs that were stopped do not count.
i=0
while [ $i -lt 40 ]; do
  printf '{"v":1,"event":"ended","time":"2026-01-01T00:00:00.000000Z","at":%s.000000,"lock":"one","path":"/x/one.lock","uid":0,"token":%s,"exit":0,"ran_s":%s.000000}\n' \
    $((1767225600 + i * 60)) $((i + 1)) 30
  i=$((i + 1))
done >own.jsonl
echo '{"v":1,"event":"ended","time":"2026-01-01T00:00:00.000000Z","at":1767229999.000000,"lock":"one","path":"/x/one.lock","uid":0,"token":99,"signal":"TERM","stopped":"max_runtime","ran_s":500.000000}' >>own.jsonl
expect_code 0 atmost simulate --json own.jsonl
expect_in out '"rule":"fixed 1 h","locks":1,"runs":41,"scored":35,"wrong_kills":0,'

# A line that cannot be read is reported.
echo 'neither' >>jobs.swf
expect_code 0 atmost simulate jobs.swf
expect_in err 'jobs.swf:82: neither a job'
expect_code 64 atmost simulate /dev/null
expect_in err 'no run in it'
expect_code 74 atmost simulate absent
expect_code 64 atmost simulate
expect_code 64 atmost simulate --auto-risk 0 jobs.swf
expect_in err '--auto-risk: "0" is not a number of runs in 1,000'
expect_code 64 atmost simulate --split size jobs.swf
expect_code 64 atmost simulate --min-runs 1000 jobs.swf
expect_in err 'no lock in it has 1000 runs'
