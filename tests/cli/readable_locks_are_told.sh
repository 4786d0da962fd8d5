#!/bin/sh
# A user that may read a lock file may keep everybody out: doctor and explain report files whose
# mode lets others do that.
. "$(dirname "$0")/lib.sh"
mkdir good
chmod 700 good
expect_code 0 atmost run --no-history ./good/job.lock true
expect_code 0 atmost doctor good
expect_in out "ok    readers"
expect_code 0 atmost explain ./good/job.lock
expect_in out "only its owner and root"
chmod 644 good/job.lock
expect_code 0 atmost doctor good
expect_in out "warn  readers         job.lock may be read by others than the owner"
expect_code 0 atmost explain ./good/job.lock
expect_in out "may lock it and keep everybody out"
