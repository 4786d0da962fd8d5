#!/bin/sh
# manuals.sh sees what may be wrong with a manual.
set -eu
source=$1
here=$(dirname "$0")
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/atmost-manuals-fail.XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
copy() {
  rm -rf "$TMPDIR/man"
  cp -R "$source/docs/man" "$TMPDIR/man"
}
seen() {
  if sh "$here/manuals.sh" "$source" "$TMPDIR/man" >"$TMPDIR/said" 2>&1; then
    echo "not seen: $1" >&2
    exit 1
  fi
  grep -q -e "$2" "$TMPDIR/said" || {
    cat "$TMPDIR/said" >&2
    exit 1
  }
}
# edit FILE SCRIPT of sed
edit() {
  copy
  sed "$2" "$TMPDIR/man/$1" >"$TMPDIR/edited"
  if cmp -s "$TMPDIR/edited" "$TMPDIR/man/$1"; then
    echo "no such text in $1: $2" >&2
    exit 1
  fi
  mv "$TMPDIR/edited" "$TMPDIR/man/$1"
}

edit source/options '/^@splay$/,/^@exec$/{/^@exec$/!d;}'
seen "an option without an explanation" 'no entry for --splay of atmost run'
edit source/options '$a\
@no-such-option'
seen "an explanation without an option" 'no subcommand has --no-such-option'
edit source/options 's/^@watch$/@watch list kill/'
seen "an explanation for a subcommand without the option" 'no subcommand has --watch of kill'
edit atmost-run.1 '/^\\fB\\-\\-splay/d'
seen "an option that a manual lacks" '^< splay'
edit atmost-kill.1 's/^\\fB\\-\\-overdue\\fR/&\
.TP\
\\fB\\-\\-watch\\fR/'
seen "an option of another subcommand" '^> watch'
edit atmost-hold.1 's/keeper/guardian/'
seen "a page that was edited instead of its source" 'atmost-hold.1 differs from its sources'
copy
rm "$TMPDIR/man/atmost-tune.1"
seen "a subcommand without a manual" 'no manual of tune'
