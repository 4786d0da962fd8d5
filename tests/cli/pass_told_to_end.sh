#!/bin/sh
# A pass that gets a signal to end passes it to its atoms, starts no further one, and ends by the
# same signal, without output.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"

# As many atoms as may run at a time, and one more, which is never to begin. Each of the others is
# inside before the signal: an atom that has been started, but whose shell has yet to run its
# first word, would prove nothing.
atoms_for() {
  printf '[defaults]\nshell = true\n'
  for atom in $(seq "$1"); do
    printf '[[atom]]\noperator = "job"\noperand = "%s"\ncommand = """\n' "$atom"
    # shellcheck disable=SC2016
    printf 'trap "touch told.%s; exit 0" TERM\ntouch inside.%s\n' "$atom" "$atom"
    printf 'while :; do sleep 0.01; done"""\n'
  done
  printf '[[atom]]\noperator = "job"\noperand = "last"\ncommand = "touch begun"\n'
}
for options in "--jobs 1" "--jobs 2" "--jobs 2 --clock atom"; do
  jobs=${options#--jobs }
  jobs=${jobs%% *}
  rm -f inside.* told.* begun
  atoms_for "$jobs" >f
  # shellcheck disable=SC2086
  atmost pass $options f >out 2>err &
  pass=$!
  started_all="$started_all $pass"
  for atom in $(seq "$jobs"); do wait_until "[ -e inside.$atom ]"; done
  kill -TERM "$pass"
  expect_end 143 "$pass"
  for atom in $(seq "$jobs"); do
    [ -e "told.$atom" ] || fail "$options: atom $atom was not told"
  done
  [ ! -e begun ] || fail "$options: another atom was started"
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
