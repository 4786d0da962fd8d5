#!/bin/sh
# As root, a file that others could change is refused; atoms may run as other users.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"
[ "$(id -u)" = 0 ] || skip "not root"
[ -z "${ATMOST_PORTABLE-}" ] || skip "a program cannot find its own file"
id nobody >/dev/null 2>&1 || skip "no user nobody"

mkdir safe
cat >safe/f <<'END'
[[atom]]
operator = "job"
operand = "x"
command = ["true"]
END
expect_code 0 atmost pass safe/f
chmod g+w safe/f && chgrp nogroup safe/f
expect_code 77 atmost pass safe/f
expect_in err "safe/f: refused, because safe/f can be written by group"
chmod 646 safe/f
expect_code 77 atmost pass safe/f
expect_in err "can be written by everybody"
chmod 600 safe/f
chown nobody safe/f
expect_code 77 atmost pass safe/f
expect_in err "belongs to user"
chown root safe/f
chmod 777 safe
expect_code 77 atmost pass safe/f
expect_in err "the directory $folder/safe can be written by everybody"
chmod 1777 safe # sticky: others cannot replace what is root's
expect_code 0 atmost pass safe/f
chmod 755 safe
mkdir loose
chmod 777 loose
ln -s ../safe/f loose/link
expect_code 77 atmost pass loose/link
expect_in err "/loose can be written by everybody"

chmod 755 "$folder"
mkdir -m 777 open
cat >safe/f <<END
[[atom]]
operator = "job"
operand = "user"
user = "nobody"
directory = "$folder/open"
environment = { WHO = "me" }
shell = true
command = "echo \$(id -un) \$USER \$WHO \$(pwd -P) \$HOME >told"
[[atom]]
operator = "job"
operand = "unknown"
user = "no-such-user"
command = ["true"]
END
expect_code 1 atmost pass safe/f
expect_in open/told "nobody nobody me $folder/open"
expect_line 1 err
expect_in err "job:unknown: user no-such-user is not known here"
