#!/bin/sh
# A log that cannot be written is a warning, once; the job runs and its exit code counts.
. "$(dirname "$0")/lib.sh"

warns() {
  expect_code 5 atmost run --log "$1" job -- sh -c 'echo ran; exit 5'
  expect_in out ran
  expect_line 1 err
  expect_in err warning
  expect_in err "$2"
}
mkdir folder
ln -s folder/real link
warns folder "is a directory"
warns link "symbolic link"
warns no/such/folder "No such file"
warns /dev/full "not a regular file"
mkfifo pipe
warns pipe "not a regular file"
echo precious >document
ln document second
warns document "hard links"
[ "$(cat document)" = precious ] || fail "somebody's document was written to"

expect_code 5 sh -c "ulimit -f 100; exec atmost run --log limited job -- sh -c 'exit 5'"
expect_in err "File too large"

if [ "$(id -u)" != 0 ]; then
  mkdir locked
  chmod 500 locked
  warns locked/log "Permission denied"
fi
