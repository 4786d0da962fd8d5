#!/bin/sh
# manual_width.sh MANUALS: no line of a manual is wider than a terminal of 80 columns.
set -eu
manuals=$1
if command -v groff >/dev/null && command -v tbl >/dev/null; then
  # As man(1) calls it there.
  render() { groff -t -man -Tutf8 -rLL=78n -P-c -P-b -P-u "$1"; }
elif command -v mandoc >/dev/null; then
  render() { mandoc -T utf8 -O width=78 "$1" | sed 's/.\x08//g'; }
else
  echo "manual_width: neither groff nor mandoc" >&2
  exit 125
fi
seen=0
wrong=0
for page in "$manuals"/man[17]/*; do
  seen=$((seen + 1))
  if render "$page" | LC_ALL=C.UTF-8 grep -E '^.{81}'; then
    echo "manual_width: wider than 80 columns: $page" >&2
    wrong=1
  fi
done
[ "$seen" -ge 20 ] || wrong=1
exit "$wrong"
