#!/bin/sh
# Other files say of the project what packaging/project says; recipes parse; install.sh installs
# what has the right sum alone.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
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

"$top/tools/project" --help | grep -q KEY
refuses usage: "$top/tools/project"

said() { grep -qF -- "$2" "$top/$1" || fail "$1 does not say $2"; }
licence=$("$top/tools/project" licence)
description=$("$top/tools/project" description)
said bindings/node/package.json "\"license\": \"$licence\""
said bindings/node/package.json "\"description\": \"$description\""
said bindings/python/pyproject.toml "description = \"$description\""
said bindings/java/pom.xml "<description>$description</description>"
said rpm/atmost.spec "Summary:        $description"
said rpm/atmost.spec "License:        $licence"
said packaging/flake.nix "description = \"$description\""
said bindings/perl/META.json "$("$top/tools/project" author)"

bash -n "$top/packaging/PKGBUILD"
# Its variables are makepkg's.
if command -v shellcheck >/dev/null; then shellcheck -s bash -e SC2034,SC2154 "$top/packaging/PKGBUILD"; fi
if command -v ruby >/dev/null; then ruby -c "$top/packaging/atmost.rb" >"$tree/said"; fi
if command -v nix-instantiate >/dev/null; then nix-instantiate --parse "$top/packaging/flake.nix" >"$tree/said" 2>&1; fi

# A program that stands for atmost, in an archive for this machine.
name=atmost-$version-linux-$(uname -m)
mkdir -p "$tree/from" "$tree/$name/bin"
printf '#!/bin/sh\necho "atmost %s"\n' "$version" >"$tree/$name/bin/atmost"
chmod +x "$tree/$name/bin/atmost"
tar -C "$tree" -czf "$tree/from/$name.tar.gz" "$name"
(cd "$tree/from" && sha256sum "$name.tar.gz" >SHA256SUMS)
sed "s/@VERSION@/$version/g" "$top/packaging/install.sh" >"$tree/install.sh"
set -- sh "$tree/install.sh" --from "$tree/from" --prefix "$tree/prefix"
[ "$("$@" 2>"$tree/said")" = "atmost $version" ] || fail "install.sh: $(cat "$tree/said")"
[ -x "$tree/prefix/bin/atmost" ] || fail "install.sh installed nothing"
refuses "no option --nonsense" "$@" --nonsense
rm -r "$tree/prefix"
echo more >>"$tree/from/$name.tar.gz"
refuses "has the SHA-256" "$@"
[ ! -e "$tree/prefix" ] || fail "install.sh installed another archive"
