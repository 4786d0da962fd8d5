#!/bin/sh
# --prometheus=FILE replaces the file whole; if it cannot be written, only the old one is left.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost run job -- true
expect_code 0 atmost stats --prometheus=atmost.prom
expect_line 0 out
expect_in atmost.prom 'result="success"} 1'
chmod 640 atmost.prom
expect_code 0 atmost run job -- true
expect_code 0 atmost stats --prometheus=atmost.prom
expect_in atmost.prom 'result="success"} 2'
[ "$(stat -c %a atmost.prom)" = 640 ] || fail "the mode was not kept"
ln -s atmost.prom link
expect_code 0 atmost stats --prometheus=link
[ -L link ] || fail "the link was replaced"

expect_code 74 atmost stats --prometheus=none/atmost.prom
expect_in err "none/atmost.prom: cannot"
mkdir folder
expect_code 74 atmost stats --prometheus=folder
if [ -c /dev/full ]; then
  expect_code 74 atmost stats --prometheus=/dev/full
  expect_in err "/dev/full: cannot write: No space left on device"
fi
[ "$(find . -name '.*.??????' | wc -l)" = 0 ] || fail "something stayed behind"
# A full disk, as far as a process can have one of its own: the old text stays, and no other file
# does.
cp atmost.prom before
code=0
(trap '' XFSZ 2>/dev/null || :; ulimit -f 1; exec atmost stats --prometheus=atmost.prom) 2>err || code=$?
[ "$code" = 74 ] || fail "exit code $code instead of 74 beyond the limit"
cmp before atmost.prom || fail "the old text is gone"
[ "$(find . -name '.*.??????' | wc -l)" = 0 ] || fail "something stayed behind"
