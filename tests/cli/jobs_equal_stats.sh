#!/bin/sh
# The numbers of atmost jobs are those of atmost stats, and of the page of atmost report.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-jobs" ] || skip "built without the back tier"
command -v python3 >/dev/null || skip "no python3"

for i in 1 2 3 4 5; do
  for code in 0 3; do expect_code $code atmost run "many$code" -- sh -c "sleep 0.0$i; exit $code"; done
  expect_code 75 atmost run -n 0 many3 true
done
expect_code 0 atmost run --if-elapsed 1h paced true
expect_code 76 atmost run --if-elapsed 1h paced true
expect_code 127 atmost run missing ./none
expect_code 124 atmost run --max-runtime 50ms --kill-grace 50ms slow sleep 60
for since in inf 1h 0; do
  atmost jobs --since $since --json >jobs.json
  atmost stats --since $since --json >stats.json
  atmost report --since $since -o page.html
  python3 - $since <<'EOF'
import json, re, sys
jobs = {one["lock"]: one for one in map(json.loads, open("jobs.json"))}
stats = {one["lock"]: one for one in map(json.loads, open("stats.json"))}
page = open("page.html").read()
assert len(jobs) == 5, jobs
assert len(stats) == (0 if sys.argv[1] == "0" else 5), stats
for lock, of in stats.items():
    job = jobs[lock]
    for mine, theirs in (("last_start", "last_start"), ("last_success", "last_success"),
                         ("usually_s", "run_p50_s")):
        assert job.get(mine) == of.get(theirs), (lock, mine, job, of)
    assert job["refused"] <= of["busy"] + of["too_soon"], (job, of)
    if of["runs"] == 1:
        assert of[job["last_result"]] == 1, (job, of)
    # p50 is the tenth cell of the lock's row.
    row = re.search(rf'>{lock}</a>.*?</tr>', page, re.S).group()
    cell = re.findall(r'<td(?: class="trouble")? data-v="([^"]*)"', row)[8]
    assert abs(float(cell) - job.get("usually_s", -1)) < 0.001, (lock, cell, job)
for lock, job in jobs.items():
    assert lock in stats or "last_result" not in job, job
assert jobs["paced"].get("next", 0) > jobs["paced"]["last_start"] + 3590 or sys.argv[1] == "0", jobs
EOF
done
