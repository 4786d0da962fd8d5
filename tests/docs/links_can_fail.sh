#!/bin/sh
# Links that lead nowhere are seen, and pages to which none leads.
set -eu
source=$1
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-links-fail.XXXXXX")
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/docs"
printf '[contributing](CONTRIBUTING.md), [one](docs/one.md#a-heading)\n' >"$folder/README.md"
echo '`[not](a-link.md)`' >"$folder/CONTRIBUTING.md"
printf '## A heading\n\n[back](../README.md), [here](#a-heading)\n' >"$folder/docs/one.md"
"$source/tests/docs/links.py" "$folder"

bad() {
  if "$source/tests/docs/links.py" "$folder" >"$folder/said" 2>&1; then
    echo "not seen as wrong: $1" >&2
    exit 1
  fi
  grep -qF "$1" "$folder/said"
}
echo 'Alone.' >"$folder/docs/two.md"
bad 'docs/two.md: no link leads there'
echo '[two](two.md), [three](three.md)' >>"$folder/docs/one.md"
bad 'docs/one.md: three.md: there is no such file'
echo '[two](two.md), [one](one.md#another-heading)' >"$folder/docs/two.md"
bad 'docs/two.md: one.md#another-heading: there is no such heading'
