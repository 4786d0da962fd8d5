#!/bin/sh
# The units are units, with programs and manuals that exist, and what they start runs as their
# commands say.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
command -v systemd-analyze >/dev/null || skip "no systemd"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-report" ] || skip "built without the back tier"

mkdir units
cp "$root"/systemd/* "$root"/examples/pass/report* units
# systemd looks for programs where they are installed.
sed -i "s|^ExecStart=atmost |ExecStart=$ATMOST_BIN/atmost |; s|^ExecStart=/usr/local/lib/atmost/report-once |ExecStart=$folder/units/report-once |" units/*.service
for unit in units/*.service units/*.timer units/*.socket; do
  # An instance is verified, not a template.
  case $unit in *@.service) cp "$unit" "${unit%.service}x.service" && unit=${unit%.service}x.service ;; esac
  systemd-analyze verify --man=no "$unit" >said 2>&1 || fail "$unit: $(cat said)"
  [ ! -s said ] || fail "$unit: $(cat said)"
done
sed -n 's/^Documentation=man:\(.*\)(1)$/\1/p' units/* | sort -u >pages
while read -r page; do
  [ -f "$root/man/$page.1" ] || fail "$page has no manual"
done <pages

# The command lines, with their files here.
mkdir -p etc report
echo '[[atom]]
operator = "say"
operand = "it"
command = ["touch", "said-it"]' >etc/network.toml
chmod 600 etc/network.toml
for unit in pass report; do
  sed -n 's/^ExecStart=//p' units/atmost-$unit.service |
    sed "s|/etc/atmost/|$folder/etc/|; s|/var/lib/atmost-report/|$folder/report/|" >command.sh
  if [ $unit = pass ] && [ ! -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ]; then continue; fi
  expect_code 0 sh ./command.sh
done
grep -q '<html' report/index.html || fail "no page"
