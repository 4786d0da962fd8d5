#!/bin/sh
# Installs atmost @VERSION@ for Linux, without root, into ~/.local or the folder of --prefix. The
# archive for this machine's architecture has to have the SHA-256 that SHA256SUMS gives it; where
# minisign is and --key names the public key, SHA256SUMS has to be signed with it.
#   install.sh [--prefix FOLDER] [--from FOLDER-OR-URL] [--key FILE]
set -eu
prefix=$HOME/.local
from=@HOME@/releases/download/v@VERSION@
key=
fail() { echo "install.sh: $*" >&2; exit 1; }
while [ $# -gt 0 ]; do
  case $1 in
    --help) sed -n '2,/^set/s/^# //p' "$0"; exit ;;
    --prefix | --from | --key) [ $# -gt 1 ] || fail "$1 needs a value" ;;
    *) fail "there is no option $1 (--prefix, --from, --key)" ;;
  esac
  case $1 in --prefix) prefix=$2 ;; --from) from=$2 ;; --key) key=$2 ;; esac
  shift 2
done
[ "$(uname -s)" = Linux ] || fail "it is made for Linux, not for $(uname -s)"
case $(uname -m) in x86_64 | aarch64 | riscv64) ;; *) fail "there is no archive for $(uname -m)" ;; esac
archive=atmost-@VERSION@-linux-$(uname -m).tar.gz
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
get() {
  case $from in
    https://*)
      if command -v curl >/dev/null; then curl -fsSL -o "$folder/$1" "$from/$1"; else wget -qO "$folder/$1" "$from/$1"; fi ;;
    *) cp "$from/$1" "$folder/$1" ;;
  esac || fail "$from/$1 cannot be read"
}
get SHA256SUMS
get "$archive"
if [ -n "$key" ]; then
  get SHA256SUMS.minisig
  minisign -Vqm "$folder/SHA256SUMS" -p "$key" || fail "SHA256SUMS is not signed with $key"
fi
expected=$(sed -n "s/^\([0-9a-f]*\)  $archive\$/\1/p" "$folder/SHA256SUMS")
[ -n "$expected" ] || fail "SHA256SUMS does not name $archive"
found=$(sha256sum "$folder/$archive") && found=${found%% *}
[ "$found" = "$expected" ] || fail "$archive has the SHA-256 $found, not $expected"
mkdir -p "$prefix"
gzip -dc "$folder/$archive" | tar -xf - -C "$folder"
cp -R "$folder/${archive%.tar.gz}"/* "$prefix"
"$prefix/bin/atmost" --version
case :$PATH: in *:$prefix/bin:*) ;; *) echo "install.sh: $prefix/bin is not in PATH" >&2 ;; esac
