#!/bin/sh
# tools/check_words passes a tree of good words and sentences, and names file and line of others.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
command -v git >/dev/null || { echo "skipped: no git"; exit 125; }
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tools" "$tree/src"
cp "$top/tools/check_words" "$tree/tools/"
cd "$tree"
git init -q
check() { git add -A && tools/check_words >said 2>&1; }

# refused FILE WORDS: the words are found in the file's first line.
refused() {
  mkdir -p "$(dirname "$1")"
  printf '%s\n' "$2" >"$1"
  if check; then echo "FAIL: not seen in $1: $2"; exit 1; fi
  grep -q "^$1:1:" said || { echo "FAIL: $1 is not named:"; cat said; exit 1; }
  rm "$1"
}

echo '// The monitor of the supervisor.' >src/good.cc
check || { cat said; exit 1; }
for file in include/atmost/a.h src/a.cc cli/a.cc libexec/a.cc shell/a.sh docs/a.md man/a.7 \
  README.md; do
  refused "$file" 'The warden of the supervisor.'
done
check || { cat said; exit 1; }

# Sentences, in comments of all kinds and in prose.
mkdir -p docs
cat >docs/good.md <<'END'
## What it costs

Who is in front of me? There is no lock. The slot is no longer held. To find it, it is opened.

    What an example says is no sentence.
END
printf '%s\n' 'int a;  // of the limit' 'int Why::b;' >src/good.cc
check || { cat said; exit 1; }
for words in 'What a run teaches.' 'It ends. Who waits is next.' 'Whether the file is ours.' \
  'Whoever waits is next.' 'How long a waiter waits.' 'One that waits.' 'All that waits is told.' \
  'A zombie is no process.' 'To ask for the times is expensive.' 'The record says otherwise.' \
  'A name, as the kernel has it.'; do
  refused docs/a.md "$words"
  refused man/a.7 "$words"
  refused src/a.cc "// $words"
  refused src/b.h "/* $words */"
  refused tests/a.cc "int a;  // $words"
  refused tools/a.py "# $words"
  refused bindings/guile/a.scm ";; $words"
  refused CMakeLists.txt "# $words"
done

# A sentence of several lines.
printf '%s\n' '// The holder, of which the record' '// says nothing.' >src/a.cc
if check; then echo "FAIL: not seen in two lines"; exit 1; fi
