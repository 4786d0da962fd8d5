#!/bin/sh
# The version of CMakeLists.txt is that of every binding; a binding that has another one is seen.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

# versions_in FILE SCRIPT: FILE with each version that sed's SCRIPT prints of it.
versions_in() {
  found=$(sed -n "$2" "$1")
  for version in ${found:-none}; do echo "$1 $version"; done
}

# The versions in the tree in the current directory.
versions() {
  versions_in CMakeLists.txt 's/^project(atmost VERSION \([0-9.]*\) .*/\1/p'
  versions_in bindings/python/pyproject.toml 's/^version = "\(.*\)"$/\1/p'
  versions_in bindings/python/src/atmost/__init__.py 's/^__version__ = "\(.*\)"$/\1/p'
  versions_in bindings/perl/META.json 's/^   "version" : "\(.*\)",$/\1/p'
  for module in bindings/perl/lib/Atmost.pm bindings/perl/lib/Atmost/*.pm; do
    versions_in "$module" "s/^our \$VERSION *= '\(.*\)';$/\1/p"
  done
  versions_in bindings/guile/atmost.scm 's/^  #:version (\([0-9]*\) \([0-9]*\) \([0-9]*\))$/\1.\2.\3/p'
  versions_in bindings/tcl/Makefile 's/^VERSION = //p'
  versions_in bindings/java/Makefile 's/^VERSION = //p'
  versions_in bindings/java/pom.xml 's,^  <version>\(.*\)</version>$,\1,p'
  versions_in bindings/java/manifest 's/^Implementation-Version: //p'
  versions_in bindings/node/package.json 's/^  "version": "\(.*\)",$/\1/p'
  versions_in bindings/node/package-lock.json '1,/"dependencies"/s/^ *"version": "\(.*\)",$/\1/p'
  versions_in packaging/flake.nix 's/^ *version = "\(.*\)";$/\1/p'
  versions_in bindings/node/README.md 's/.*atmost-\([0-9.]*\)\.tgz.*/\1/p'
}

cd "$top"
versions >"$copy/versions"
if [ "$(cut -d ' ' -f 2 "$copy/versions" | sort -u | wc -l)" != 1 ]; then
  echo "FAIL: these are not one version:"
  cat "$copy/versions"
  exit 1
fi

version=$(sed -n 's/^CMakeLists.txt //p' "$copy/versions")

# The tree again, where each file in turn has another version.
cut -d ' ' -f 1 "$copy/versions" | sort -u >"$copy/files"
tar -cf - -T "$copy/files" | tar -xf - -C "$copy"
cd "$copy"
while read -r file; do
  sed -i "s/$(echo "$version" | sed 's/[.]/[. ]/g')/99.9.9/" "$file"
  if [ "$(versions | cut -d ' ' -f 2 | sort -u | wc -l)" = 1 ]; then
    echo "FAIL: another version in $file is not seen"
    exit 1
  fi
  cp "$top/$file" "$file"
done <files
