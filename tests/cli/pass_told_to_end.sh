#!/bin/sh
# A pass that is told to end tells its atoms, starts no further one, and ends by the same signal, in
# silence.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"

cat >f <<'END'
[defaults]
shell = true
[[atom]]
operator = "job"
operand = "one"
command = '''
trap "touch told; exit 0" TERM
touch inside
while :; do sleep 0.01; done'''
[[atom]]
operator = "job"
operand = "two"
command = "test -e told && touch second; true"
END
for options in "--jobs 1" "--jobs 2" "--jobs 2 --clock atom"; do
  rm -f inside told second
  # shellcheck disable=SC2086
  atmost pass $options f >out 2>err &
  pass=$!
  started_all="$started_all $pass"
  wait_until '[ -e inside ]'
  kill -TERM "$pass"
  expect_end 143 "$pass"
  [ -e told ] || fail "$options: the atom was not told"
  [ ! -e second ] || fail "$options: another atom was started"
  expect_line 0 out
  expect_line 0 err
done

# Commands find signals as the pass's caller left them.
cat >f <<'END'
[[atom]]
operator = "job"
operand = "mask"
shell = true
command = "grep -E '^Sig(Blk|Ign)' /proc/self/status >mask"
END
[ -r /proc/self/status ] || exit 0
grep -E '^Sig(Blk|Ign)' /proc/self/status >expected
for options in "--jobs 1" "--jobs 2"; do
  # shellcheck disable=SC2086
  expect_code 0 atmost pass $options f
  cmp -s mask expected || fail "$options: signals are blocked or ignored: $(cat mask)"
done
