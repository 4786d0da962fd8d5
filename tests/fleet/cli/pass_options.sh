#!/bin/sh
# An option that makes no sense with a store is refused in one line with the remedy.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"
atom() { printf '[[atom]]\noperator = "options"\noperand = "%s"\ncommand = ["true"]\n' "$1"; }

atom a >f
expect_code 64 atmost pass --store symlink: f
expect_line 1 err
expect_in err "--store: a pass keeps its locks in files, or in a store that many machines share"
expect_code 64 env ATMOST_STORE=http://x atmost pass f
expect_in err '$ATMOST_STORE: is not a store'
expect_code 64 atmost pass --store 'postgres://me:secret@db/x' f
expect_in err "holds a password"
if grep -q secret err; then fail "the password is repeated"; fi
expect_code 0 atmost pass --store file: f

{ atom a; echo 'kill_grace = "1m"'; echo 'ttl = "1m"'; } >f
expect_code 78 atmost pass --store "$FLEET_STORE" f
expect_in err "f:6:7: ttl: 1m is too short to renew the lease (1.5s), and else to stop the command before it ends (twice kill_grace and 1s): use at least 122.5s"
# Without one the lease is as long as it has to be.
sed -i '/ttl/d' f
expect_code 0 atmost pass -v --store "$FLEET_STORE" f
expect_in err "options:a: ran"
sed -i 's/1m/inf/' f
expect_code 1 atmost pass --store "$FLEET_STORE" f
expect_in err "options:a: kill_grace: a lease ends, and its command has to be stopped before that"
{ atom a; echo 'scope = "galaxy"'; } >f
expect_code 78 atmost pass --store "$FLEET_STORE" f
expect_in err 'scope is neither "fleet" nor "host"'
