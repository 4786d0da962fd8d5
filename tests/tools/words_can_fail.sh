#!/bin/sh
# tools/check_words passes a tree without retired words, and names each file that has one.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
command -v git >/dev/null || { echo "skipped: no git"; exit 125; }
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tools"
cp "$top/tools/check_words" "$tree/tools/"
cd "$tree"
git init -q
check() { git add -A && tools/check_words >said 2>&1; }

mkdir src
echo '// The monitor of the supervisor.' >src/good.cc
check || { cat said; exit 1; }
for file in include/atmost/a.h src/a.cc cli/a.cc libexec/a.cc shell/a.sh docs/a.md man/a.1 \
  README.md; do
  mkdir -p "$(dirname "$file")"
  echo 'The warden of the supervisor.' >"$file"
  if check; then echo "FAIL: not seen in $file"; exit 1; fi
  grep -q "^$file:1:" said || { echo "FAIL: $file is not named:"; cat said; exit 1; }
  rm "$file"
done
check || { cat said; exit 1; }

# The same of sentences without a noun as their subject; a question and a title are none.
printf '%s\n' '## What it costs' 'Who is in front of me?' >docs/a.md
check || { cat said; exit 1; }
for words in 'What a run teaches.' 'It ends. Who waits is next.' '# One that waits.'; do
  echo "$words" >docs/a.md
  if check; then echo "FAIL: not seen: $words"; exit 1; fi
  grep -q '^docs/a.md:1:' said || { echo "FAIL: not named: $words"; cat said; exit 1; }
done
