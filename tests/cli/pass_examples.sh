#!/bin/sh
# The examples are right: the file is a pass, and a client cannot start the network's job too often.
# (systemd_units: the units.)
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"
[ -f "${TZDIR:-/usr/share/zoneinfo}/Europe/Oslo" ] || skip "no time zone database"
examples=$root/examples/pass

cp "$examples/network.toml" .
chmod 600 network.toml
expect_code 0 atmost pass --dry-run --host db7.example.com --now 1796018520 network.toml # Monday, 07:02 in Oslo
expect_line 3 out
expect_in out "tidy:/var/tmp: not due"
expect_in out "report:disks: would run"
expect_code 0 atmost pass --dry-run --host desk.example.com --now 1796018520 network.toml
expect_in out "report:disks: not due"
expect_in out "copy:/etc/motd: not due"

REMOTE_ADDR=2001:db8::7
export REMOTE_ADDR
expect_code 0 "$examples/report-once" echo report
expect_in out report
expect_code 76 "$examples/report-once" echo report
expect_line 0 err
REMOTE_ADDR=192.0.2.1 expect_code 0 "$examples/report-once" echo report
# Lock files stay, so their number has a bound, whatever the number of clients.
[ "$(find locks -name 'report=[0-9]*@*' | grep -cE '/report=[0-9]{1,4}@')" = 2 ] || fail "$(ls locks)"
unset REMOTE_ADDR
expect_code 64 "$examples/report-once" echo report
