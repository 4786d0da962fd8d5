#!/bin/sh
# The binding as others get it: the library installed with DESTDIR, the module compiled against it
# and installed beside it.  run.sh BUILD SOURCE [SCRIPT]: the tests, or the script.
set -eu
# A command that runs under atmost already would be told that it holds its parent's lock itself.
unset ATMOST_STORE ATMOST_HELD ATMOST_LOCK ATMOST_LOCKFILE ATMOST_SLOT ATMOST_SLOTS ATMOST_INDICES \
  ATMOST_TOKEN ATMOST_WAITED_MS
build=$1 source=$2 script=${3-}
GUILE=$(command -v guile-3.0 || command -v guile) ||
  { echo "run.sh: guile is missing (Debian: guile-3.0)" >&2; exit 1; }
GUILD=$(command -v guild-3.0 || command -v guild) ||
  { echo "run.sh: guild is missing (Debian: guile-3.0-dev)" >&2; exit 1; }
# Names in the tests are in UTF-8.
GUILE_AUTO_COMPILE=0 LC_ALL=C.UTF-8
export GUILE GUILD GUILE_AUTO_COMPILE LC_ALL
"$GUILE" -c '(use-modules (json))' 2>/dev/null ||
  { echo "run.sh: Guile's module json is missing (Debian: guile-json)" >&2; exit 1; }
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-guile.XXXXXX")
trap 'rm -rf "$folder"' EXIT
DESTDIR=$folder/root cmake --install "$build" --component library --prefix /usr >/dev/null
pc=$(find "$folder/root" -name atmost.pc)
LD_LIBRARY_PATH=$(dirname "$(dirname "$pc")")
ATMOST_DIR=$folder/locks ATMOST_CONFORMANCE=$source/bindings/conformance.json
ATMOST_DOCUMENT=$source/docs/guile.md ATMOST_PROGRAM=$build/bin/atmost
ATMOST_INCLUDE=$folder/root/usr/include
export LD_LIBRARY_PATH ATMOST_DIR ATMOST_CONFORMANCE ATMOST_DOCUMENT ATMOST_PROGRAM ATMOST_INCLUDE

cp -r "$source/bindings/guile" "$folder/guile"
cd "$folder/guile"
make -s clean
make -s install DESTDIR="$folder/root" GUILE="$GUILE" GUILD="$GUILD" >"$folder/log" 2>&1 ||
  { cat "$folder/log"; exit 1; }
mv tests "$folder/tests"
cd "$folder/tests"
rm -r "$folder/guile"
GUILE_LOAD_PATH=$folder/root$("$GUILE" -c '(display (%site-dir))'):$folder/tests
GUILE_LOAD_COMPILED_PATH=$folder/root$("$GUILE" -c '(display (%site-ccache-dir))')
export GUILE_LOAD_PATH GUILE_LOAD_COMPILED_PATH
TMPDIR=$folder "$GUILE" "${script:-all.scm}"
