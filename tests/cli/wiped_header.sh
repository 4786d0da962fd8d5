#!/bin/sh
# A header that was wiped, or cut off with what lies behind it, lets no caller run early as long
# as another part of the file proves that there was one: the last admission then counts as just
# now. And the interval still ends.
. "$(dirname "$0")/lib.sh"

wipe() {  # FROM COUNT: so many bytes from there become zeros; both are multiples of 8
  dd if=/dev/zero of=lock bs=8 seek=$(($1 / 8)) count=$(($2 / 8)) conv=notrunc 2>/dev/null
}
used() {
  rm -f lock
  expect_code 0 atmost run --no-history --if-elapsed 1h ./lock -- true
  expect_code 76 atmost run --no-history --if-elapsed 1h ./lock -- true
}
refuses() {  # WHAT WAS DONE
  code=0
  atmost run --no-history --if-elapsed 1h ./lock -- true 2>err || code=$?
  [ $code = 76 ] || fail "$1: $code instead of 76: $(cat err)"
  expect_code 75 atmost run --no-history -n 0 ./lock -- true
  # An admission that counts as just now is over when the interval is.
  expect_code 76 atmost run --no-history --if-elapsed 1s ./lock -- true
  expect_code 0 atmost run --no-history --if-elapsed 1s --on-too-soon=wait ./lock -- true
}

used
wipe 4096 240
refuses "the header is wiped"

used
wipe 0 8192
refuses "index and header are wiped, the rest is left"

used
expect_code 0 atmost forget ./lock
expect_code 0 atmost run --no-history --no-learn --if-elapsed 1h ./lock -- true
wipe 0 8192
refuses "only a holder's record is left"

used
truncate -s 4096 lock
refuses "cut off in front of the header"

used
truncate -s 4200 lock
refuses "cut off in the midst of the header"

used
expect_code 0 atmost drain ./lock
expect_code 0 atmost resume ./lock
refuses "nothing was done"

# Files without such a proof: one that the original left behind, an empty one, and an unused one
# full of zeros.
used
truncate -s 8 lock
expect_code 0 atmost run --no-history --if-elapsed 1h ./lock -- true
used
truncate -s 0 lock
expect_code 0 atmost run --no-history --if-elapsed 1h ./lock -- true
rm -f lock
truncate -s 5M lock
expect_code 0 atmost run --no-history --if-elapsed 1h ./lock -- true
