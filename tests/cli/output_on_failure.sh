#!/bin/sh
# --output=on-failure: nothing of a successful run is shown, and all of one that failed or was
# stopped, both streams in their order; --output=tail always shows the end.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "POSIX alone cannot free the middle of a file"

quiet() { atmost run --output=on-failure job -- "$@"; }
expect_code 0 quiet sh -c 'echo one; echo two >&2; echo three'
expect_line 0 out
expect_line 0 err
expect_code 3 quiet sh -c 'echo one; echo two >&2; echo three; exit 3'
[ "$(cat out)" = "one
two
three" ] || fail "$(cat out)"
expect_line 0 err
expect_code 127 quiet no-such-program
expect_line 1 err
expect_code 124 atmost run --output=on-failure --max-runtime 200ms job -- sh -c 'echo begun; sleep 60'
expect_in out begun
expect_in err 'the command was stopped after'
expect_code 1 atmost run --output=on-failure --min-runtime 1h job -- echo "nothing to do"
expect_in out "nothing to do"

# Of an output that is too long beginning and end are shown, and the size of the gap.
seq 100000 >all
expect_code 1 atmost run --output=on-failure --output-max 64K job -- sh -c 'cat all; exit 1'
left_out=$(sed -n 's/^atmost: \([0-9]*\) bytes of output are left out here$/\1/p' out)
[ -n "$left_out" ] || fail "no line says what was left out"
sed '/^atmost: /,$d' out | head -n -1 >beginning
sed '1,/^atmost: /d' out >end
cmp -n "$(wc -c <beginning)" beginning all
tail -c "$(wc -c <end)" all | cmp - end
[ "$(head -n 1 end | wc -c)" = 6 ] || fail "the end begins inside a line"
bytes=$(($(sed '/^atmost: /d' out | wc -c) + left_out))
# One newline may be added to an incomplete line before ours.
[ $((bytes - $(wc -c <all))) -ge 0 ] && [ $((bytes - $(wc -c <all))) -le 1 ] || fail "$bytes bytes"

expect_code 0 atmost run --output=tail job -- sh -c 'cat all; echo last >&2'
[ "$(tail -n 1 out)" = last ] || fail "$(tail -n 1 out)"
[ "$(wc -c <out)" -le 65700 ] || fail "$(wc -c <out) bytes"

# Options that make no sense, and places where nothing can be kept.
expect_code 64 atmost run --exec --output=tail job -- true
expect_code 64 atmost run --output-max 1M job -- true
expect_code 64 atmost run --output=on-failure --output-max 10X job -- true
expect_in err '"10X" is not a size, such as 512K, 16M or 1G'
expect_code 64 atmost run --output=on-failure --output-max 1K job -- true
expect_code 73 env TMPDIR=/no/such/place atmost run --output=on-failure --if-elapsed 1d day -- true
expect_in err 'the output cannot be kept in /no/such/place: No such file or directory'
# Such a refusal does not count for an interval.
expect_code 0 atmost run --if-elapsed 1d day -- true
