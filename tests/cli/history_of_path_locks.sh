#!/bin/sh
# Runs of locks that are given by a path are logged in their user's own lock directory, not beside
# the lock, where others would find a file that they may not write. Readers find them there, and
# what earlier versions wrote beside the lock.
. "$(dirname "$0")/lib.sh"
mkdir shared
chmod 1777 . shared
machine=$(uname -n)

expect_code 0 atmost run --mode 666 "$folder/shared/job.lock" true
[ ! -e shared/history.jsonl ] || fail "a log beside the lock"
expect_line 0 err
expect_code 0 atmost history --json "$folder/shared/job.lock"
expect_line 2 out
expect_line 0 err
expect_line 2 locks/history.jsonl
expect_code 0 atmost stats "$folder/shared/job.lock"
expect_in out job.lock
(cd shared && atmost history --json ./job.lock) >out
expect_line 2 out

# Without a named lock, too; but not with another directory.
expect_code 0 atmost run named true
expect_code 0 atmost run --dir elsewhere named true
expect_code 0 atmost history --json
expect_line 4 out
expect_code 0 atmost history --json --dir elsewhere
expect_line 2 out

# Another user gets a log of his own, and no warning.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  mkdir other
  chown 65534 other
  as_other() {
    setpriv --reuid 65534 --clear-groups --inh-caps=-all env -u ATMOST_DIR -u XDG_STATE_HOME HOME="$folder/other" "$@"
  }
  if as_other "$ATMOST_BIN/atmost" --version >/dev/null 2>&1; then
    expect_code 0 as_other "$ATMOST_BIN/atmost" run "$folder/shared/job.lock" true
    expect_line 0 err
    expect_line 2 "other/.local/state/atmost/$machine/history.jsonl"
    # Without a place for it nothing is logged, and nothing is printed: cron would mail it each
    # time. doctor has the finding.
    expect_code 0 as_other env HOME=/nonexistent/home "$ATMOST_BIN/atmost" run "$folder/shared/job.lock" true
    expect_line 0 err
    expect_code 0 as_other env HOME=/nonexistent/home "$ATMOST_BIN/atmost" doctor "$folder/shared"
    expect_in out 'history'
    expect_in out 'runs of locks that are given by a path are not logged'
    expect_code 0 as_other env -u HOME "$ATMOST_BIN/atmost" run "$folder/shared/job.lock" true
    expect_line 0 err
    expect_code 0 as_other "$ATMOST_BIN/atmost" doctor "$folder/shared"
    expect_in out "are logged in $folder/other/.local/state/atmost/$machine/history.jsonl"
  fi
fi

# --log names another; a log that lies beside the lock already is still read, before the newer
# one.
expect_code 0 atmost run --log beside.jsonl ./mine true
expect_line 2 beside.jsonl
mv beside.jsonl history.jsonl
expect_code 1 atmost run ./mine false
expect_code 0 atmost history --json ./mine
expect_line 4 out
expect_code 0 atmost stats --json ./mine
expect_in out '"runs":2'
