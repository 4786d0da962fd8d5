#!/bin/sh
# A message of the page that no program prints is named.
set -eu
source=$1
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-messages-fail.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cp -R "$source/src" "$source/cli" "$source/libexec" "$folder"
mkdir "$folder/docs"
page=$folder/docs/troubleshooting.md

bad() {
  if "$source/tests/docs/messages.py" "$folder" >"$folder/said" 2>&1; then
    echo "not seen as wrong: $1" >&2
    exit 1
  fi
  grep -qF "$1" "$folder/said"
}

cp "$source/docs/troubleshooting.md" "$page"
"$source/tests/docs/messages.py" "$folder"
echo '| `the moon is too bright` | Wait. |' >>"$page"
bad 'names what no program says: the moon is too bright'
cp "$source/docs/troubleshooting.md" "$page"
grep -rl 'but owed to' "$folder/cli" "$folder/src" | while read -r file; do
  sed 's/but owed to/but meant for/' "$file" >"$folder/changed"
  cp "$folder/changed" "$file"
done
bad 'names what no program says: a slot is free, but owed to'
