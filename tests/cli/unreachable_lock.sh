#!/bin/sh
# A lock whose file cannot be reached is an error: it is not one that nobody has used, to which a
# caller would be admitted.
. "$(dirname "$0")/lib.sh"

ln -s loop loop
for command in 'check -n 1' 'check -n 1 --if-elapsed 1h' 'check --succeeded-within 1h' 'wait -n 1' kill 'kill --dry-run' \
  list drain resume forget 'release --for-pid 1'; do
  # shellcheck disable=SC2086
  expect_code 74 atmost $command loop/job.lock
  expect_in err 'loop/job.lock: '
done
expect_code 74 atmost run loop/job.lock -- touch ran
[ ! -e ran ] || fail "the command was run"

# So is one in a directory of others. A file that is not there is nobody's, even if its directory is
# not.
expect_code 0 atmost check -n 1 missing/job.lock
expect_code 0 atmost kill -q missing/job.lock
[ ! -e missing ] || fail "check makes a directory"
mkdir closed
chmod 700 closed
expect_code 0 atmost run closed/job.lock -- true
if [ "$(id -u)" = 0 ]; then
  command -v setpriv >/dev/null || skip "no setpriv"
  chmod 755 .
  setpriv --reuid 65501 --clear-groups test -x "$ATMOST_BIN/atmost" || skip "others may not look into this folder"
  chmod 700 closed
  stranger='setpriv --reuid 65501 --regid 65501 --clear-groups --inh-caps=-all'
else
  chmod 0 closed
  stranger=
fi
for command in 'check -n 1' 'wait -n 1' kill list; do
  # shellcheck disable=SC2086
  expect_code 77 $stranger "$ATMOST_BIN/atmost" $command "$folder/closed/job.lock"
done
