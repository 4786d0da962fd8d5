#!/bin/sh
# A subcommand that is not built in is a program atmost-NAME, run with the arguments.
. "$(dirname "$0")/lib.sh"

mkdir exec
cat >exec/atmost-greet <<'X'
#!/bin/sh
echo "greet: $*"
exit 5
X
chmod +x exec/atmost-greet
: >exec/atmost-plain
ATMOST_EXEC_PATH=$folder/exec
export ATMOST_EXEC_PATH
expect_code 5 atmost greet --json 'a b'
expect_in out "greet: --json a b"
expect_code 126 atmost plain
expect_in err "atmost-plain: Permission denied"
expect_code 64 atmost missing
expect_in err '"missing" is not a command of atmost'
# A subcommand that help lists, or names in a sentence, is named when it is not there.
for name in doctor explain history stats top report pass simulate schema fence; do
  expect_code 69 atmost $name
  expect_in err "atmost-$name, the program of this command, is not installed"
  expect_line 1 err
done
# A misspelt subcommand is not taken for a program that is missing.
expect_code 64 atmost fense
expect_in err '"fense" is not a command of atmost; did you mean fence?'
mkdir -p home/bin home/libexec/atmost
cp "$ATMOST_BIN/atmost" home/bin/
cp exec/atmost-greet home/libexec/atmost/
unset ATMOST_EXEC_PATH
[ -z "${ATMOST_PORTABLE-}" ] || skip "a program cannot find its own file"
expect_code 5 home/bin/atmost greet hello
expect_in out "greet: hello"
