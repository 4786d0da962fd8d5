#!/bin/sh
# A successful run that is shorter than --min-runtime counts as failed: 1, a line, a field in the
# log. A run that is shorter than nearly all before is noted in the log even without the option.
. "$(dirname "$0")/lib.sh"

expect_code 1 atmost run --min-runtime 60s job true
expect_line 1 err
expect_in err 'atmost: job: the command was successful after '
expect_in err ' only, and counts as failed: --min-runtime is 1m'
expect_code 0 atmost run --min-runtime 1ms job sleep 0.01
expect_code 0 atmost run --min-runtime 0 job true
expect_line 0 err

# A run that failed or was stopped keeps its own code.
expect_code 3 atmost run --min-runtime 60 job sh -c 'exit 3'
expect_code 124 atmost run --min-runtime 60 --max-runtime 61 --kill-grace 1 job sh -c 'exit 124'
code=0
atmost run --min-runtime 60 job sh -c 'kill -TERM $$' || code=$?
[ $code = 143 ] || fail "a signal's code became $code"

# A command's own code could be mistaken for it.
expect_code 1 atmost run --min-runtime 60 --status-fd 3 job true 3>told
expect_in told '"kind":"ran","code":1,'
expect_in told '"status":0,'
expect_in told '"reason":"too_fast"'

# Options that count successes do not count it.
expect_code 1 atmost run --min-runtime 60 --if-elapsed 1h --elapsed-from success other true
expect_code 0 atmost run --if-elapsed 1h --elapsed-from success other true
expect_code 76 atmost run --if-elapsed 1h --elapsed-from success other true

expect_code 0 atmost history --json --outcome failure other
expect_line 1 out
expect_in out '"exit":0,"too_fast":true,'
expect_code 0 atmost history other
expect_in out 'exit 0, too fast after '
expect_code 0 atmost stats --json other
expect_in out '"failure":1'

expect_code 64 atmost run --min-runtime 60 --exec job true
expect_in err '--min-runtime: nobody stays'
expect_code 64 atmost run --min-runtime 60 --max-runtime 60 job true
expect_code 64 atmost run --min-runtime inf job true
expect_code 64 atmost run --min-runtime auto --store symlink: ./job true
expect_code 1 atmost run --min-runtime 60 --store symlink: ./job true
expect_code 64 atmost hold --min-runtime 60 --for-pid $$ job

# auto needs runs to learn from.
expect_code 0 atmost run --min-runtime auto new true

cat >nightly.toml <<'END'
[[atom]]
operator = "nightly"
operand = "backup"
command = ["true"]
min_runtime = "1m"
END
expect_code 1 atmost pass -v nightly.toml
cat out err >both
expect_in both 'too fast: its min_runtime is 1m'
printf 'max_runtime = "1m"\n' >>nightly.toml
expect_code 78 atmost pass nightly.toml
expect_in err 'min_runtime: no run could be that long'

[ -z "${ATMOST_PORTABLE-}" ] || exit 0 # a lock cannot be held for another process

i=0
while [ $i -lt 40 ]; do
  at=$((1700000000 + i * 3600))
  expect_code 0 atmost hold --expire-after auto --now $at --for-pid $$ backup
  expect_code 0 atmost release --now $((at + 95 + i % 10)) --for-pid $$ backup
  i=$((i + 1))
done
expect_code 0 atmost tune --json backup
least=$(sed 's/.*"min_runtime_s":\([0-9]*\).*/\1/' out)
[ "$least" -ge 1 ] && [ "$least" -lt 50 ] || fail "the least run time is $least"
expect_code 0 atmost tune backup
expect_in out "A successful run shorter than $least"

# It is noted, and the learned floor does not come down before five such runs.
expect_code 0 atmost run backup true
expect_line 0 err
expect_code 0 atmost history --json --event ended backup
expect_in out '"exit":0,"suspicious":true,'
i=1
while [ $i -lt 5 ]; do
  expect_code 1 atmost run --min-runtime auto backup true
  expect_in err ": --min-runtime auto is $least"
  i=$((i + 1))
done
expect_code 0 atmost run --min-runtime auto backup true
expect_line 0 err
expect_code 0 atmost history --json --event ended backup
[ "$(grep -c '"too_fast":true,"suspicious":true' out)" = 4 ] || fail "not four were too fast"
[ "$(grep -c '"suspicious":true' out)" = 5 ] || fail "not five were suspicious"
expect_code 0 atmost stats --json backup
expect_in out '"too_fast":5'
