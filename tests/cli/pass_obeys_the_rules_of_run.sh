#!/bin/sh
# A pass file refuses the same combinations of options as `run`, and no others.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"

# both RUN PASS: the options, and the same as keys, one a line; with `no`, both are refused.
both() {
  wanted_run=0 wanted_pass=0
  if [ "$1" = no ]; then wanted_run=64 wanted_pass=78; fi
  {
    printf '[[atom]]\noperator = "a"\noperand = "x"\ncommand = ["true"]\n'
    printf '%b' "$3"
  } >file
  # shellcheck disable=SC2086 # words
  expect_code "$wanted_run" atmost run $2 job true
  expect_code "$wanted_pass" atmost pass --dry-run file
}
both no '--output-max 64K' 'output_max = "64K"\n'
both no '--output=tail --output-max 64K' 'output = "tail"\noutput_max = "64K"\n'
both no '--notify-on failure' 'notify_on = ["failure"]\n'
both yes '--notify-on failure --notify true' 'notify = "true"\nnotify_on = ["failure"]\n'
both no '--ping-output' 'ping_output = true\n'
both no '--min-runtime 2h --max-runtime 1h' 'min_runtime = "2h"\nmax_runtime = "1h"\n'
both no '--min-runtime 1h --max-runtime 1h' 'min_runtime = "1h"\nmax_runtime = "1h"\n'
both no '--min-runtime inf' 'min_runtime = "inf"\n'
both yes '--min-runtime 0 --max-runtime 1h' 'min_runtime = 0\nmax_runtime = "1h"\n'

# Only Linux keeps output.
if [ -z "${ATMOST_PORTABLE-}" ]; then
  both yes '--output=on-failure --output-max 64K' 'output = "on-failure"\noutput_max = "64K"\n'
  both yes '--ping-output --output=tail' 'output = "tail"\nping_output = true\n'
fi

# A default may wait for an atom that has a use for it.
atom() { printf '[[atom]]\noperator = "a"\noperand = "%s"\ncommand = ["true"]\n%s\n' "$1" "$2"; }
{
  printf '[defaults]\nnotify_on = ["every"]\n'
  atom one ''
  atom two 'notify = "true"'
} >file
expect_code 0 atmost pass --dry-run file
{
  printf '[defaults]\nnotify_on = ["every"]\n'
  atom one ''
} >file
expect_code 78 atmost pass --dry-run file
expect_in err 'file:2:13: notify_on: says when the command of notify is run: use both'
