#!/bin/sh
# The binding as others get it: the library installed with DESTDIR, the package built against it
# and installed beside it.  run.sh BUILD SOURCE [SCRIPT]: the tests, or the script.
set -eu
# A command that runs under atmost already would be told that it holds its parent's lock itself.
unset ATMOST_STORE ATMOST_HELD ATMOST_LOCK ATMOST_LOCKFILE ATMOST_SLOT ATMOST_SLOTS ATMOST_INDICES \
  ATMOST_TOKEN ATMOST_WAITED_MS
build=$1 source=$2 script=${3-}
command -v tclsh8.6 >/dev/null ||
  { echo "run.sh: tclsh8.6 is missing (Debian: tcl8.6)" >&2; exit 1; }
for package in Tclx:tclx8.4 Thread:tcl-thread json:tcllib; do
  echo "exit [catch {package require ${package%:*}}]" | tclsh8.6 ||
    { echo "run.sh: Tcl's package ${package%:*} is missing (Debian: ${package#*:})" >&2; exit 1; }
done
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-tcl.XXXXXX")
trap 'rm -rf "$folder"' EXIT
DESTDIR=$folder/root cmake --install "$build" --component library --prefix /usr >/dev/null
pc=$(find "$folder/root" -name atmost.pc)
LD_LIBRARY_PATH=$(dirname "$(dirname "$pc")")
PKG_CONFIG_LIBDIR=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=$folder/root
TCLLIBPATH=$folder/root/usr/lib/tcltk
ATMOST_DIR=$folder/locks ATMOST_CONFORMANCE=$source/bindings/conformance.json
ATMOST_DOCUMENT=$source/docs/tcl.md ATMOST_PROGRAM=$build/bin/atmost
export ATMOST_DOCUMENT ATMOST_PROGRAM TCLLIBPATH
export LD_LIBRARY_PATH PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR ATMOST_DIR ATMOST_CONFORMANCE

cp -r "$source/bindings/tcl" "$folder/tcl"
cd "$folder/tcl"
make -s clean
make -s install DESTDIR="$folder/root" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
cp -r tests "$folder/tests"
cd "$folder/tests"
rm -r "$folder/tcl"
if [ -n "$script" ]; then
  TMPDIR=$folder TCLLIBPATH="$TCLLIBPATH $folder/tests" tclsh8.6 "$script"
  exit
fi
TMPDIR=$folder tclsh8.6 all.tcl
