#!/bin/sh
# manuals.sh MANUALS: every subcommand that help names has a manual, which has every option of its
# --help and no other; and mandoc, if it is installed, finds nothing wrong with the manuals.
set -eu
manuals=$1
atmost=$ATMOST_BIN/atmost
wrong=0
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/atmost-manuals.XXXXXX")
trap 'rm -rf "$TMPDIR"' EXIT
fault() {
  echo "manuals: $*" >&2
  wrong=1
}

options_of_help() {
  all=--help
  [ "$1" != run ] || all=--help-all
  "$atmost" "$1" "$all" | sed -nE 's/^  .{4}--([a-z-]+).*/\1/p' | grep -v '^\(help\|version\)$'
}
options_of_manual() {
  sed -n '/^\.SH OPTIONS/,/^\.SH EXIT/s/^\\fB\\-.*\\-\\-\([a-z\\-]*\)\\fR.*/\1/p; /^\.SH OPTIONS/,/^\.SH EXIT/s/^\\fB\\-\\-\([a-z\\-]*\)\\fR.*/\1/p' "$1" |
    sed 's/\\//g' | grep -v '^\(help\|version\)$'
}

for command in $("$atmost" --help-all | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' | grep -vx help) simulate; do
  page=$manuals/man1/atmost-$command.1
  if [ ! -f "$page" ]; then
    fault "no manual of $command"
    continue
  fi
  options_of_help "$command" | sort >"$TMPDIR/help"
  [ -s "$TMPDIR/help" ] || fault "$command --help shows no option"
  options_of_manual "$page" | sort >"$TMPDIR/manual"
  diff "$TMPDIR/help" "$TMPDIR/manual" >&2 || fault "$page: not the options of --help (<)"
  grep -q "^\.BR atmost\\\\-$command (1)\$" "$manuals/man1/atmost.1" || fault "atmost.1 does not name $command"
done
if command -v mandoc >/dev/null; then
  mandoc -T lint -W warning "$manuals"/man[17]/* >&2 || wrong=1
fi
exit "$wrong"
