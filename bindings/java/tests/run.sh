#!/bin/sh
# The binding as others get it: the library installed with DESTDIR, the jar built and installed
# beside it.  run.sh BUILD SOURCE [PROGRAM.java]: the tests, or the program.
set -eu
# A command that runs under atmost already would be told that it holds its parent's lock itself.
unset ATMOST_STORE ATMOST_HELD ATMOST_LOCK ATMOST_LOCKFILE ATMOST_SLOT ATMOST_SLOTS ATMOST_INDICES \
  ATMOST_TOKEN ATMOST_WAITED_MS
build=$1 source=$2
shift 2
command -v javac >/dev/null ||
  { echo "run.sh: javac is missing (Debian: openjdk-17-jdk-headless)" >&2; exit 1; }
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-java.XXXXXX")
trap 'rm -rf "$folder"' EXIT
DESTDIR=$folder/root cmake --install "$build" --component library --prefix /usr >/dev/null
pc=$(find "$folder/root" -name atmost.pc)
LD_LIBRARY_PATH=$(dirname "$(dirname "$pc")")
ATMOST_DIR=$folder/locks ATMOST_CONFORMANCE=$source/bindings/conformance.json
ATMOST_DOCUMENT=$source/docs/java.md ATMOST_PROGRAM=$build/bin/atmost
ATMOST_INCLUDE=$folder/root/usr/include
export LD_LIBRARY_PATH ATMOST_DIR ATMOST_CONFORMANCE ATMOST_DOCUMENT ATMOST_PROGRAM ATMOST_INCLUDE

cp -r "$source/bindings/java" "$folder/java"
cd "$folder/java"
make -s clean
make -s javadoc install DESTDIR="$folder/root" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
make -s clean
tests/junit.sh "$folder/root/usr/share/java/atmost.jar" "$folder" "$@"
