#!/bin/sh
# Root keeps out of what other users may rearrange: their directories, and logs that they put in its
# way.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "POSIX shows nobody's locks"
[ "$(id -u)" = 0 ] || skip "not root"
command -v setpriv >/dev/null || skip "no setpriv"
as_other() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
chmod 755 .

# A lock in another user's directory, whoever made the file; nothing is left there.
mkdir -m 700 theirs
chown 65534:65534 theirs
expect_code 77 atmost run "$folder/theirs/new.lock" true
expect_in err "$folder/theirs belongs to another user, who may rename files in it"
expect_line 1 err
[ ! -e theirs/new.lock ] || fail "a file is left"
: >theirs/old.lock
expect_code 77 atmost run ./theirs/old.lock true
expect_in err "belongs to another user"
mkdir theirs/below
expect_code 77 atmost run "$folder/theirs/below/a.lock" true
expect_in err "$folder/theirs belongs to another user"

# Root may still look at a lock there, and stop its holder.
chmod 755 theirs
if as_other "$ATMOST_BIN/atmost" --version >/dev/null 2>&1; then
  start as_other "$ATMOST_BIN/atmost" run --no-history "$folder/theirs/job.lock" -- sleep 100
  wait_until '[ "$(atmost check theirs/job.lock 2>/dev/null)" = 1 ]'
  expect_code 0 atmost list ./theirs/job.lock
  expect_in out sleep
  expect_code 77 atmost run --expire-after 0 ./theirs/job.lock true
  expect_code 0 atmost kill ./theirs/job.lock
  expect_code 0 as_other "$ATMOST_BIN/atmost" run --no-history "$folder/theirs/job.lock" true
fi

# Another user's log in a directory where anybody may make one: the job runs, one line reports
# that it is not logged.
mkdir -m 1777 common
: >common/history.jsonl
chown 65534 common/history.jsonl
chmod 666 common/history.jsonl
expect_code 0 atmost run --dir "$folder/common" job true
expect_line 1 err
expect_in err "belongs to another user"
[ ! -s common/history.jsonl ] || fail "root wrote into it"
rm common/history.jsonl
ln -s /tmp common/history.jsonl
expect_code 0 atmost run --dir "$folder/common" job true
expect_line 1 err
expect_in err "symbolic link"

# The command in the message shows the second name of a file.
ln common/job.lock common/second
expect_code 74 atmost run --no-history --dir "$folder/common" job true
expect_in err "find $folder/common -xdev -samefile $folder/common/job.lock"
find "$folder/common" -xdev -samefile "$folder/common/job.lock" >out
expect_in out "$folder/common/second"
rm common/second
expect_code 0 atmost run --no-history --dir "$folder/common" job true

# Another user's symbolic link on the way, also behind one of root's, leads root nowhere. (The
# kernel refuses it by itself only where fs.protected_symlinks is set, and the directory is
# sticky.)
mkdir theirs_too
chmod 1777 .
as_other ln -s "$folder/theirs_too" link
as_other ln -s "$folder/theirs_too/page.html" page.html
ln -s link/. ours
ln -s theirs_too own
for path in "$folder/link/x.lock" ./link/x.lock ./ours/x.lock; do
  expect_code 77 atmost run --no-history "$path" touch ran
  expect_in err "is a symbolic link of another user, which root does not follow"
done
expect_code 77 atmost run --no-history --store symlink: ./link/x touch ran
[ ! -e ran ] && [ -z "$(ls theirs_too)" ] || fail "root followed it: $(ls theirs_too)"
expect_code 0 atmost run --log link/log ./mine.lock true
expect_in err "link is a symbolic link of another user"
[ ! -e theirs_too/log ] || fail "root logged there"
if [ -x "$ATMOST_BIN/../libexec/atmost/atmost-report" ]; then
  echo precious >theirs_too/page.html
  for page in link/page.html page.html; do
    expect_code 77 atmost report --log mine.log -q -o "$page"
    expect_in err "is a symbolic link of another user"
  done
  expect_in theirs_too/page.html precious
fi
# Root's own are followed.
expect_code 0 atmost run --log own/log ./own/x.lock true
[ -s theirs_too/log ] && [ -e theirs_too/x.lock ] || fail "$(ls theirs_too)"
