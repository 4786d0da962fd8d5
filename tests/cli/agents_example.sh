#!/bin/sh
# examples/agents: scripted agents whose calls are killed again and again keep their places; a
# killed session leaves nothing behind; the hook refuses what has no gate, and the rule of make
# has one.
examples=$(cd "$(dirname "$0")/../../examples/agents" && pwd)
witness=$(cd "$(dirname "$0")" && pwd)/agents_witness.py
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "--die-with needs pidfd"
command -v python3 >/dev/null && command -v setsid >/dev/null || skip "needs python3 and setsid"
PATH=$examples:$PATH
export PATH

expect_code 0 atmost limit tests 1
expect_code 0 python3 "$witness" 6
expect_in out "6 in the order of arrival"

# The output and the code are the command's.
expect_code 7 gated tests sh -c 'echo built; exit 7'
expect_in out built
GATED_SLICE=1 GATED_SESSION=$$
export GATED_SLICE GATED_SESSION
expect_code 75 gated tests sh -c 'until [ -e go ]; do sleep 0.05; done; echo once >>runs'
expect_in err "call again with the same words"
: >go
expect_code 0 gated tests sh -c 'until [ -e go ]; do sleep 0.05; done; echo once >>runs'
expect_line 1 runs
expect_code 64 gated tests

hook() {  # CODE COMMAND
  code=0
  printf '{"tool_name":"Bash","tool_input":{"command":"%s"}}' "$2" | "$examples/hook" 2>err || code=$?
  [ "$code" = "$1" ] || fail "hook: $code instead of $1: $2"
}
hook 2 "make test"
hook 2 "cd x && cargo test --all"
expect_in err "put 'gated"
hook 0 "gated tests make test"
hook 0 "atmost run -w inf tests -- make"
hook 0 "git status"
hook 0 "makepkg --version"

printf '#!/bin/sh\necho "a suite in slot $ATMOST_SLOT"\n' >run-tests
chmod +x run-tests
command -v make >/dev/null || exit 0
expect_code 0 make -s -f "$examples/Makefile" test
expect_in out "a suite in slot 1"
