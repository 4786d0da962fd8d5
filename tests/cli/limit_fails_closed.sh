#!/bin/sh
# With the bit and without a valid record, nobody is admitted; a record without the bit is nothing.
. "$(dirname "$0")/lib.sh"

closed() {  # WORDS
  expect_code 74 atmost run -n 9 build touch started
  expect_in err "build.lock: its limit of record $1"
  [ ! -e started ] || fail "the command was started"
  expect_code 74 atmost run -w 1 build true
  expect_code 74 atmost check -n 9 build
  expect_code 74 atmost list build
  expect_code 1 exectimes locks/build.lock 9 true
  expect_code 0 atmost explain build
  expect_in out "admits nobody: "
}
expect_code 0 atmost limit build 2
cp locks/build.limit whole

rm locks/build.limit
closed "is missing"
ln -s "$folder/whole" locks/build.limit
closed "cannot be read"
rm locks/build.limit
: >locks/build.limit
closed "is damaged"
head -c 30 whole >locks/build.limit
closed "is damaged"
sed 's/max 2/max 9x/' whole >locks/build.limit
closed "is damaged"
cp whole locks/build.limit
chmod 666 locks/build.limit
closed "may be written by others than its owner"
rm locks/build.limit
mkdir locks/build.limit
closed "is not a regular file"
rmdir locks/build.limit
mkfifo locks/build.limit
closed "is not a regular file"
rm locks/build.limit
if [ "$(id -u)" = 0 ] && chown 12345 whole; then
  cp -p whole locks/build.limit
  closed "belongs neither to the lock's owner nor to root"
fi

# Set again, it is whole again.
expect_code 0 atmost limit build 2
expect_code 0 atmost run -n 9 build true
chmod -t locks/build.lock
start atmost run -n 9 build sleep 60
start atmost run -n 9 build sleep 60
start atmost run -n 9 build sleep 60
wait_until '[ "$(atmost check build)" = 3 ]'
