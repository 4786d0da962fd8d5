#!/bin/sh
# Limits that are learned from a lock's own runs: auto stops a run that takes far longer than
# those before it, reports why, forgets on request, and drops a memory that was spoilt.
. "$(dirname "$0")/lib.sh"

# A new lock has the longest limit.
expect_code 0 atmost tune --json job
expect_in out '"completed":0,'
expect_in out '"expire_after_s":604800,"max_runtime_s":604800,"min_runtime_s":0,"if_elapsed_s":0}'
[ ! -e locks/job.lock ] || fail "asking created the lock"

i=0
while [ $i -lt 12 ]; do
  atmost run job true
  i=$((i + 1))
done
expect_code 0 atmost tune job
expect_in out 'job: 12 runs: half took up to '
# It prints no time that the log, and so stats, would show as another one.
if grep -q 'the longest' out; then fail "a time as if it were one that was measured: $(cat out)"; fi
expect_in out '(in steps of a fifth; atmost stats has the times)'
expect_in out 'auto stops a run that takes longer than '
expect_in out ': of 1,000 good runs of this lock '
expect_in out 'Asked: at most 5 of 1,000 good runs, over all locks of the directory'
expect_in out "12 runs of this lock ended by themselves, a limit stopped none."
# A fourth line has the interval of requests, if these came regularly.
[ "$(grep -cv '^A request comes about every ' out)" = 3 ] || fail "more than a few sentences"
expect_code 0 atmost tune -v job
expect_in out '12 runs that ended by themselves'
# The lock's record compared with the accepted risk of the directory, in words.
expect_in out 'at most 5 good runs in 1,000 may be stopped, over all locks of the directory'
expect_in out ' in 1,000 of its next runs are longer'
if grep -q 'doublings\|any run of the directory' out; then fail "words for nobody"; fi
expect_code 0 atmost tune --json --auto-min 100ms --auto-max 300ms job
expect_in out '"completed":12,"stopped":0,'
expect_in out '"risk_per_1000":5.000000,'

# A run that hangs is stopped; then there is more time.
expect_code 124 atmost run --max-runtime auto --auto-min 100ms --auto-max 300ms job sleep 30
expect_in err 'as --max-runtime auto says'
expect_code 0 atmost tune --json --auto-min 100ms job
expect_in out '"completed":12,"stopped":1,'
sed 's/.*"max_runtime_s":\([0-9.]*\).*/\1/' out | awk '{ exit !($1 > 0.3) }' || fail "no more time: $(cat out)"

# A failure counts as a run; one that a signal ended does not, nor does one with --no-learn.
expect_code 3 atmost run job sh -c 'exit 3'
atmost run job sh -c 'kill -KILL $$' || :
expect_code 0 atmost run --no-learn job true
expect_code 0 atmost tune --json job
expect_in out '"completed":13,"stopped":1,"cut_short":1,'

# A new lock of a directory with experience has the longest limit.
expect_code 0 atmost tune --json --auto-min 1ms another
expect_in out '"completed":0,'
expect_in out '"expire_after_s":604800'
if grep -q '"experience":0,' out; then fail "the directory's experience is not known"; fi

# Spoilt bytes are dropped, and nobody is stopped by them.
cp locks/job.lock before
printf 'x' | dd of=locks/job.lock bs=1 seek=8300 conv=notrunc 2>/dev/null
expect_code 0 atmost tune --json job
expect_in out '"completed":0,'
expect_code 0 atmost run --max-runtime auto job true
cat before >locks/job.lock

# A memory that others may write does not count: they could have the next run stopped.
chmod 666 locks/job.lock
expect_code 0 atmost tune --json job
expect_in out '"completed":0,'
expect_in err 'others may write the lock file'
chmod 600 locks/job.lock

expect_code 0 atmost forget job
expect_code 0 atmost tune --json job
expect_in out '"completed":0,'

expect_code 64 atmost run --store symlink: --expire-after auto ./job true
expect_in err 'auto: a symbolic link remembers no runs'
expect_code 64 atmost run --auto-min 2h --auto-max 1h job true
expect_code 64 atmost run --auto-risk many job true
