#!/bin/sh
# Usage errors are one line with the option, its text and the remedy, and exit code 64.
. "$(dirname "$0")/lib.sh"

usage() {
  words=$1
  shift
  expect_code 64 "$@"
  expect_line 1 err
  expect_line 0 out
  expect_in err "atmost: $words"
}
usage 'no command given' atmost
usage '"frobnicate" is not a command of atmost' atmost frobnicate
usage '"../x" is not a command of atmost' atmost ../x
usage 'no LOCK given' atmost run
usage 'no COMMAND given' atmost run lock
usage 'no COMMAND given' atmost run lock --
usage '--wait: "5x" is not a duration: use a number with ms, s, m, h, d or w, or inf' atmost run --wait 5x lock true
usage '--max: "-1" is not a whole number' atmost run -n -1 lock true
usage '--max: "99999999999999999999" is not a whole number' atmost run -n99999999999999999999 lock true
usage '--max: needs a value' atmost run -n
usage '--take: 3 slots of at most 2' atmost run -n2 -k3 lock true
usage '--timeout: means two things: use --wait' atmost run --timeout 5 lock true
usage '--max-runtime: nobody stays' atmost run --exec --max-runtime 5 lock true
usage '--close: with --exec' atmost run --exec --close lock true
usage '--until: nobody stays' atmost run --exec --until=main lock true
usage '--until: close is for commands' atmost run --until=close lock true
usage '".." is a directory' atmost run .. true
usage '"x/" ends in a slash' atmost run x/ true
usage 'the lock has no name' atmost run '' true
usage '":x" is half an atom' atmost run :x true
usage '"two" is one argument too many' atmost check one two
usage '--store: is not a store' atmost run --store ftp://h/x lock true
usage '--exec: nobody stays to renew' atmost run --exec --store etcd://h/x lock true
usage '--ttl: 5s is too short' atmost run --ttl 5s --store etcd://h/x lock true
usage '--splay: no part of inf' atmost run --splay inf lock true
usage '--ttl: only a lease in a fleet' atmost run --ttl 20s lock true
usage '$ATMOST_STORE: ' env ATMOST_STORE=ftp://h/x atmost run lock true
usage '$ATMOST_DIR is not an absolute path' env ATMOST_DIR=x atmost run lock true
usage '"-q" is before the command, and options come after it: atmost run -q lock true' atmost -q run lock true
usage '--now: "99999999999" is later than the year 2261' atmost run --now 99999999999 lock true
usage '--now: "5x" is not a time' atmost run --now 5x lock true
[ -z "$(ls locks)" ] || fail "a usage error left something behind: $(ls locks)"
