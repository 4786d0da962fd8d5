#!/bin/sh
# The test of the documents' transcripts passes good ones and sees what is wrong with others.
set -eu
source=$1
program=$source/tests/docs/transcripts.py
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-transcripts-fail.XXXXXX")
trap 'rm -rf "$folder"' EXIT

# One block of KIND, from standard input, is the document.
document() {
  { printf 'Text.\n\n```%s\n' "$1" && cat && printf '```\n'; } >"$folder/document.md"
}
good() {
  document "$1"
  "$program" "$source" "$folder/document.md" >"$folder/said" 2>&1 || {
    cat "$folder/document.md" "$folder/said" >&2
    exit 1
  }
}
bad() {
  document "$1"
  if "$program" "$source" "$folder/document.md" >"$folder/said" 2>&1; then
    echo "not seen as wrong:" >&2
    cat "$folder/document.md" >&2
    exit 1
  fi
  grep -q '^document.md:4: ' "$folder/said"  # where it is
}

printf '$ atmost run job -- echo a file\na file\n' | good console
printf '$ atmost run job -- echo a file\na …e\n$ echo "$?"\n0\n' | good console
printf '$ atmost run job -- \\\n>   seq 5\n1\n…\n5\n' | good console
printf '$ atmost run job -- false; echo "$?"\n1\n' | good console
printf '$ atmost run job -- echo a file\n' | bad console
printf '$ atmost run job -- echo a file\nanother\n' | bad console
printf '$ true\nnothing\n' | bad console
printf '$ atmost run --no-such job -- true\n' | bad console
printf '$ exit 3\n$ echo never\nnever\n' | bad console
printf 'output of nothing\n' | bad console
printf 'MAILTO=a@b\n*/5 * * * *  atmost run job -- /usr/local/bin/x --with "\\%%F"\n' | good crontab
printf '# /etc/cron.d/x\n@daily  root  atmost run job -- /usr/local/bin/x\n' | good crontab
printf '*/5 * * *  atmost run job -- true\n' | bad crontab
printf '*/5 * * * *  atmost run job -- date +%%F\n' | bad crontab
printf '*/5 * * * *  atmost run --no-such job -- true\n' | bad crontab
printf 'PATH=$HOME/bin:/bin\n' | bad crontab
printf '# a.service\n[Service]\nType=oneshot\nExecStart=atmost run x -- true\n' | good ini
if command -v systemd-analyze >/dev/null; then
  printf '# a.service\n[Service]\nTyp=oneshot\nExecStart=atmost run x -- true\n' | bad ini
  printf '# a.timer\n[Timer]\nOnCalendar=25:00\n' | bad ini
fi
printf '[Service]\n' | bad ini

table() {
  printf '<!-- run the last column -->\n\n| a | b |\n|---|---|\n| `x` | %s |\n' "$1" >"$folder/document.md"
}
table '`atmost run job cmd`, or `atmost run job sh -c "true \\| cmd"`'
"$program" "$source" "$folder/document.md" | grep -q '2 table'
table '`atmost run --no-such-option job cmd`'
if "$program" "$source" "$folder/document.md" 2>"$folder/said"; then exit 1; fi
grep -q '^document.md:5: ' "$folder/said"
