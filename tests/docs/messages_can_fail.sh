#!/bin/sh
# A message that the page has not is named, and so is one that no program says.
set -eu
source=$1
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-messages-fail.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cp -R "$source/src" "$source/cli" "$source/libexec" "$folder"
mkdir "$folder/docs"
cp "$source/docs/troubleshooting.md" "$folder/docs"

bad() {
  if "$source/tests/docs/messages.py" "$folder" >"$folder/said" 2>&1; then
    echo "not seen as wrong: $1" >&2
    exit 1
  fi
  grep -qF "$1" "$folder/said"
}

"$source/tests/docs/messages.py" "$folder"
at=$folder/src/store/local/slots.cc
cp "$at" "$folder/kept"
printf 'Error f() { return failure(Code::io, 0, "cannot polish "\n    "the slot"); }\n' >>"$at"
bad 'src/store/local/slots.cc: cannot polish the slot'
cp "$folder/kept" "$at"
printf '// "cannot polish the slot" is a comment\n' >>"$at"
"$source/tests/docs/messages.py" "$folder"
page=$folder/docs/troubleshooting.md
sed 's/^| `cannot reach its keeper.*//' "$source/docs/troubleshooting.md" >"$page"
bad 'keepers.cc: cannot reach its keeper'
{ cat "$source/docs/troubleshooting.md"; echo '| `the moon is too bright` | Wait. |'; } \
  >"$page"
bad 'names what no program says: the moon is too bright'
