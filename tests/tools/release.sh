#!/bin/sh
# The scripts of a release, without building anything: help, and one line for bad input.
# tools/release makes the same bytes twice and signs them; tools/publish refuses until the project
# is filled in and everything is there, and --dry-run then runs nothing.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
command -v git >/dev/null || { echo "skipped: no git"; exit 125; }
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
fail() { echo "FAIL: $*"; exit 1; }
version=$("$top/tools/project" version)
# refuses WORDS COMMAND...: fails with one line that contains WORDS.
refuses() {
  words=$1
  shift
  if "$@" >"$tree/said" 2>&1; then fail "$* did not fail"; fi
  grep -qF -- "$words" "$tree/said" && [ "$(wc -l <"$tree/said")" = 1 ] || fail "$*: $(cat "$tree/said")"
}

for tool in release publish; do
  "$top/tools/$tool" --help >"$tree/said"
  [ "$(wc -l <"$tree/said")" -ge 3 ] || fail "$tool --help says nothing"
  refuses usage: "$top/tools/$tool"
done
for tool in make_parts make_npm make_wheel python_tools; do refuses usage: "$top/tools/$tool"; done
refuses "not 99.9.9" "$top/tools/release" 99.9.9
refuses "no architecture pdp11" "$top/tools/release" "$version" pdp11
"$top/tools/release" --list "$version" riscv64 >"$tree/said"
grep -q 'linux-riscv64\.tar\.gz$' "$tree/said" || fail "one architecture: $(cat "$tree/said")"
if grep -q 'aarch64\|linux-x64\|atmost\.rb' "$tree/said"; then fail "riscv64 alone: $(cat "$tree/said")"; fi
refuses "npm did not install" sh "$top/packaging/npm-launcher"

# A repository that stands for this one, and a make that has made everything already.
mkdir -p "$tree/repository/tools" "$tree/repository/debian" "$tree/bin"
cd "$tree/repository"
cp -R "$top/packaging" .
cp "$top/tools/project" "$top/tools/dist" "$top/tools/release" "$top/tools/publish" tools
cp "$top/debian/control" debian
cp "$top/CMakeLists.txt" "$top/.gitignore" .
echo "## $version (2030-01-01)" >CHANGELOG.md
git init -q
commit() { git add -A && git -c user.name=test -c user.email=test@localhost commit -qm "A release"; }
fill() { sed -i "s|^$1:.*|$1: ${2-}|" packaging/project && commit; }
fill home
refuses "names no home" tools/publish --dry-run "$version"
fill home https://example.org/a
refuses "names no maintainer" tools/publish --dry-run "$version"
fill maintainer "A <a@example.org>"
refuses "is missing" tools/publish --dry-run "$version"

for program in apt-ftparchive dpkg-deb gpg minisign; do
  command -v $program >/dev/null || { echo "skipped: no $program"; exit 125; }
done
for program in git gh npm rsync podman; do printf '#!/bin/sh\ntouch "%s/ran"\n' "$tree" >"$tree/bin/$program"; done
printf '#!/bin/sh\n' >"$tree/bin/make"
chmod +x "$tree"/bin/*
for kind in deb rpm tarball npm wheel; do mkdir -p "build/$kind"; done
for file in $(tools/release --list "$version"); do
  case $file in
    *.deb)
      rm -rf "$tree/deb" && mkdir -p "$tree/deb/DEBIAN"
      printf 'Package: %s\nVersion: %s-1\nArchitecture: all\nMaintainer: A <a@example.org>\nDescription: stands for it\n' \
        "${file%%_*}" "$version" >"$tree/deb/DEBIAN/control"
      dpkg-deb -b "$tree/deb" "build/deb/$file" >"$tree/said"
      ;;
    *.rpm) echo "$file" >"build/rpm/$file" ;;
    *-linux-*.tar.gz) echo "$file" >"build/tarball/$file" ;;
    *.tgz) echo "$file" >"build/npm/$file" ;;
    *.whl) echo "$file" >"build/wheel/$file" ;;
  esac
done
GNUPGHOME=$tree/keys
export GNUPGHOME
mkdir -m 700 "$GNUPGHOME"
gpg --batch --quiet --passphrase '' --quick-generate-key --faked-system-time 20200101T000000 trial ed25519 sign never 2>"$tree/said"
minisign -G -W -p "$tree/public" -s "$tree/secret" >"$tree/said"
echo stale >build/tarball/atmost-0.0.9-linux-x86_64.tar.gz
release() { PATH=$tree/bin:$PATH ATMOST_GPG_KEY=trial ATMOST_MINISIGN_KEY=$tree/secret tools/release "$version"; }
mv "$tree/bin/git" "$tree/git"
release >"$tree/said" 2>&1 || fail "$(cat "$tree/said")"
mv dist "$tree/first"
release >"$tree/said" 2>&1 || fail "$(cat "$tree/said")"
diff -r "$tree/first" dist || fail "the second time it makes other bytes"
[ "$(find dist -maxdepth 1 -type f | wc -l)" = $(($(wc -l <dist/SHA256SUMS) + 2)) ] || fail "dist/ has other files: $(ls dist)"
gpg --quiet --verify dist/apt/InRelease 2>"$tree/said" || fail "$(cat "$tree/said")"
minisign -Vqm dist/SHA256SUMS -p "$tree/public" || fail "SHA256SUMS is not signed"
if grep -q '@[A-Z0-9_]*@' dist/PKGBUILD dist/atmost.rb dist/install.sh; then fail "a recipe is not filled in"; fi

mv "$tree/git" "$tree/bin/git"
PATH=$tree/bin:$PATH tools/publish --dry-run "$version" >"$tree/said" 2>&1 || fail "$(cat "$tree/said")"
for words in "git push origin v$version" "npm publish --access public dist/atmost-$version.tgz" "build/python/bin/twine upload" "podman manifest push"; do
  grep -q "^$words" "$tree/said" || fail "no $words in $(cat "$tree/said")"
done
[ ! -e "$tree/ran" ] || fail "--dry-run ran a command"
refuses "ATMOST_IMAGE" env PATH="$tree/bin:$PATH" tools/publish "$version"
echo more >>dist/PKGBUILD
if tools/publish --dry-run "$version" >"$tree/said" 2>&1; then fail "a changed file is published"; fi
