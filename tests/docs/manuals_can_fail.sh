#!/bin/sh
# manuals_can_fail.sh SOURCE MANUALS: faults in the explanation of an option are found when the
# manuals are made, and faults in a manual by manuals.sh.
set -eu
source=$1 manuals=$2
here=$(dirname "$0")
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/atmost-manuals-fail.XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
# edit FROM FILE SCRIPT of sed
edit() {
  rm -rf "$TMPDIR/man"
  cp -R "$1" "$TMPDIR/man"
  sed "$3" "$1/$2" >"$TMPDIR/man/$2"
  if cmp -s "$TMPDIR/man/$2" "$1/$2"; then
    echo "no such text in $2: $3" >&2
    exit 1
  fi
}
# seen FAULT MESSAGE PROGRAM...
seen() {
  what=$1 message=$2
  shift 2
  if "$@" >"$TMPDIR/said" 2>&1; then
    echo "not seen: $what" >&2
    exit 1
  fi
  grep -q -e "$message" "$TMPDIR/said" || {
    cat "$TMPDIR/said" >&2
    exit 1
  }
}
not_made() { seen "$1" "$2" "$source/tools/make_manuals" "$ATMOST_BIN/atmost" "$TMPDIR/made" "$TMPDIR/man"; }
wrong() { seen "$1" "$2" sh "$here/manuals.sh" "$TMPDIR/man"; }

edit "$source/man" options '/^@splay$/,/^@exec$/{/^@exec$/!d;}'
not_made "an option without an explanation" 'no entry for --splay of atmost run'
edit "$source/man" options '$a\
@no-such-option'
not_made "an explanation without an option" 'no subcommand has --no-such-option$'
edit "$source/man" options 's/^@watch$/@watch list kill/'
not_made "an explanation for a subcommand without the option" 'no subcommand has --watch of kill$'
edit "$source/man" options 's/^@watch$/&\
@watch/'
not_made "two explanations of one option" 'a second entry for watch'
edit "$manuals" man1/atmost-run.1 '/^\\fB\\-\\-splay/d'
wrong "an option that a manual lacks" '^< splay'
edit "$manuals" man1/atmost-kill.1 's/^\\fB\\-\\-overdue\\fR/&\
.TP\
\\fB\\-\\-watch\\fR/'
wrong "an option of another subcommand" '^> watch'
edit "$manuals" man1/atmost.1 '/^.BR atmost\\-tune (1)$/d'
wrong "a subcommand that atmost.1 does not name" 'atmost.1 does not name tune'
rm "$TMPDIR/man/man1/atmost-tune.1"
wrong "a subcommand without a manual" 'no manual of tune'
