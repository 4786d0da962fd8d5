#!/bin/sh
# A wrong file is refused as a whole, with the place of every fault, before anything runs.
. "$(dirname "$0")/lib.sh"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"

cat >f <<'END'
[[atom]]
operator = "job"
operand = "first"
command = ["touch", "ran"]

[[atom]]
operator = "job"
operand = "second"
command = ["touch", "ran"]
when = "Monday.(Hr25|Q1)"
if_elapsd = "1h"
END
expect_code 78 atmost pass f
expect_line 2 err
expect_in err "f:10:17: when: looks like a time class, but there is no such time"
expect_in err 'f:11:1: "if_elapsd" is not a key of an atom'
[ ! -e ran ] || fail "something ran"

printf '[[atom]\n' >f
expect_code 78 atmost pass f
expect_in err "f:1:"

# Letters and signs that TOML has no place for: U+00E9, U+FEBF.
for sign in '\303\251' '\357\272\277'; do
    # shellcheck disable=SC2059  # the sign is an escape of printf
    printf "[[atom]]\n$sign = 1\n" >f
    expect_code 78 atmost pass f
    expect_in err "f:2:1:"
done

: >f
expect_code 78 atmost pass f
expect_in err "f: there is no [[atom]] in it"

expect_code 78 atmost pass nowhere
expect_in err "nowhere: No such file or directory"
mkdir d
expect_code 78 atmost pass d
expect_in err "d: is not a regular file"

# Names are escaped.
printf '[[atom]]\noperator = "a\\u001b[2J"\n"\\u001b[3J" = 1\noperand = "b"\ncommand = ["true"]\n' >f
expect_code 78 atmost pass f
expect_in err '"\x1B[3J" is not a key of an atom'
expect_code 64 atmost pass
expect_code 64 atmost pass --jobs=0 f
expect_in err "--jobs"
