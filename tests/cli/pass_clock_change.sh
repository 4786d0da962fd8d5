#!/bin/sh
# A repeated hour runs an atom once, and so does a missing one (central Europe, 2026).
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"
[ -f "${TZDIR:-/usr/share/zoneinfo}/Europe/Oslo" ] || skip "no time zone database"

cat >f <<'END'
[defaults]
time_zone = "Europe/Oslo"
shell = true
[[atom]]
operator = "job"
operand = "hour"
command = "echo hour >>log"
when = "Hr02"
[[atom]]
operator = "job"
operand = "night"
command = "echo night >>log"
when = "Night.Min00_05"
[[atom]]
operator = "job"
operand = "hourly"
command = "echo hourly >>log"
when = "Min00_05"
END
# passes SECONDS...: one pass at each moment; expect_runs HOUR NIGHT HOURLY: how often each ran in
# them.
passes() {
  rm -f log
  touch log
  for moment in "$@"; do expect_code 0 atmost pass --now "$moment" f; done
}
expect_runs() {
  for name in hour night hourly; do
    ran=$(grep -cx $name log || :)
    [ "$ran" -eq "$1" ] || fail "$name ran $ran times instead of $1"
    shift
  done
}

forward=1774746000 # 2026-03-29, 02:00 is 03:00
passes $((forward - 3600)) $forward $((forward + 3600)) # 01:00, 03:00, 04:00
expect_runs 1 3 3
back=1792890000 # 2026-10-25, 03:00 is 02:00
passes $((back - 7200)) $((back - 3600)) $back $((back + 3600)) # 01:00, 02:00, 02:00, 03:00
expect_runs 1 3 4

# An atom that did not run the first time runs the second time.
atmost forget job:hour
passes $back $((back + 60))
grep -qx hour log || fail "the second hour was left out though the first was missed"
expect_code 0 atmost pass --dry-run --now $((back - 3600)) f
atmost forget job:hour
expect_code 0 atmost pass --now $((back - 3600)) f
expect_code 0 atmost pass --dry-run --now $back f
expect_in out "job:hour: too soon: this hour comes twice today, and it ran in the first"
