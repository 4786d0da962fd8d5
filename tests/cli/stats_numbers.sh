#!/bin/sh
# atmost stats counts what real runs did: in a table, as JSON, and for Prometheus.
. "$(dirname "$0")/lib.sh"
[ "${ATMOST_PORTABLE-}" ] && skip "with POSIX alone nobody can be taken over from"

for code in 0 0 3; do expect_code $code atmost run job -- sh -c "exit $code"; done
expect_code 75 atmost run -n 0 job -- true
expect_code 0 atmost run --if-elapsed 1h paced -- true
for _ in 1 2 3; do expect_code 76 atmost run --if-elapsed 1h paced -- true; done
start atmost run held -- sleep 30
wait_until '[ "$(atmost check held)" = 1 ]'
expect_code 0 atmost run -q --expire-after 0 --kill-grace 200ms held -- true

expect_code 0 atmost stats
expect_line 4 out
expect_line 0 err
[ "$(sed -n 1p out | cut -f 1-4)" = "LOCK	RUNS	FAILED	KILLED" ] || fail "heads: $(sed -n 1p out)"
[ "$(sed -n 2p out | cut -f 1-5)" = "held	2		1	1" ] || fail "the worst is not first: $(cat out)"
[ "$(grep '^job' out | cut -f 1-4,8)" = "job	3	1		1" ] || fail "job: $(cat out)"
[ "$(grep '^paced' out | cut -f 1-2,6,7)" = "paced	1	3	2" ] || fail "paced: $(cat out)"

expect_code 0 atmost stats --json job
expect_line 1 out
for words in '"lock":"job"' '"runs":3,"success":2,"failure":1,"killed":0' '"busy":1,"busy_why":{"zero":1}' '"run_p99_s":'; do
  expect_in out "$words"
done
expect_code 0 atmost stats --json paced
expect_in out '"too_soon":3'
expect_in out '"spam":2,"if_elapsed_s":3'

expect_code 0 atmost stats --prometheus
expect_in out "atmost_runs_total{lock=\"job\",path=\"$folder/locks/job.lock\",result=\"success\"} 2"
expect_in out "atmost_refusals_total{lock=\"paced\",path=\"$folder/locks/paced.lock\",why=\"too_soon\"} 3"
expect_in out "atmost_history_skipped_lines 0"
grep -vE '^# (HELP|TYPE) atmost_[a-z_]+ .+$|^atmost_[a-z_]+(\{.*\})? [0-9.]+$' out && fail "no sample and no comment" || :
