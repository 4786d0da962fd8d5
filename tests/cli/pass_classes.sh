#!/bin/sh
# --classes shows what is set: time in the file's zone, host, groups.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"

cat >f <<'END'
[defaults]
time_zone = "UTC"
[groups]
front = ["web-*"]
back = ["db?"]
yes = { command = "exit 0", shell = true }
no = { command = ["false"] }
[[atom]]
operator = "job"
operand = "x"
command = ["true"]
END
expect_code 0 atmost pass --classes --host web-1.example.com --now 1795246680 f
for class in Yr2026 November Day21 Saturday Morning Hr07 Q3 Min35_40 Min38 any web_1 web_1_example_com example_com com \
  front yes; do
  grep -qx "$class" out || fail "$class is not set: $(cat out)"
done
for class in back no; do
  ! grep -qx "$class" out || fail "$class is set"
done
[ "$(uname -s)" != Linux ] || grep -qx linux out || fail "no linux"
grep -qx "$(uname -m | tr -c '[:alnum:]\n' _)" out || fail "no architecture"
expect_code 0 atmost pass --classes
grep -qx any out || fail "no classes without a file"
