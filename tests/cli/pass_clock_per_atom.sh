#!/bin/sh
# One moment counts for all atoms of a pass, unless each is to look at the clock.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"

# The second atom asks for an interval that has passed when its turn comes, but had not when the
# pass began.
cat >f <<'END'
[[atom]]
operator = "job"
operand = "first"
shell = true
command = "until [ -e go ]; do sleep 0.01; done"
[[atom]]
operator = "job"
operand = "second"
if_elapsed = "300ms"
command = ["touch", "ran"]
END
for clock in pass atom; do
  rm -f go ran
  start atmost pass --clock $clock f
  wait_until 'atmost list job:first | grep -q first'
  atmost run job:second -- true
  # Until the interval is over, as the lock itself sees it.
  wait_until 'atmost check -n 1 job:second && [ "$(atmost pass --dry-run f | grep -c "second: would run")" = 1 ]'
  cp "$(echo locks/job=second@*.lock)" before
  touch go
  expect_end 0 "$started"
  case $clock in
    pass) [ ! -e ran ] || fail "the pass's moment did not count"
      # The run that came after that moment is still the last one.
      cmp before "$(echo locks/job=second@*.lock)" || fail "the last admission was set back" ;;
    atom) [ -e ran ] || fail "the clock did not count" ;;
  esac
done
