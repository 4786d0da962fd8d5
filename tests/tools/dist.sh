#!/bin/sh
# tools/dist makes the same archive again from the same commit, beside its own first one, and none
# from what is not committed.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
command -v git >/dev/null || { echo "skipped: no git"; exit 125; }
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/tools"
cp "$top/tools/dist" "$top/tools/project" "$tree/tools/"
cp "$top/CMakeLists.txt" "$top/CHANGELOG.md" "$top/.gitignore" "$tree/"
cd "$tree"
git init -q
git add -A
git -c user.name=test -c user.email=test@localhost commit -qm "A release"

tools/dist >.git/first
tools/dist >.git/second
cmp .git/first .git/second
sha256sum -c atmost-*.tar.gz.sha256 >.git/said
echo change >>CHANGELOG.md
if tools/dist >.git/said 2>&1; then echo "FAIL: made of what is not committed"; exit 1; fi
grep -q "not committed" .git/said
