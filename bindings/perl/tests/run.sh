#!/bin/sh
# The binding as others get it: the library installed with DESTDIR, the module installed beside it.
# run.sh BUILD SOURCE [SCRIPT]: the tests, or the script.
set -eu
# A command that runs under atmost already would be told that it holds its parent's lock itself.
unset ATMOST_STORE ATMOST_HELD ATMOST_LOCK ATMOST_LOCKFILE ATMOST_SLOT ATMOST_SLOTS ATMOST_INDICES \
  ATMOST_TOKEN ATMOST_WAITED_MS
build=$1 source=$2 script=${3-}
perl -MFFI::Platypus -e 1 2>/dev/null ||
  { echo "run.sh: FFI::Platypus is missing (Debian: libffi-platypus-perl)" >&2; exit 1; }
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-perl.XXXXXX")
trap 'rm -rf "$folder"' EXIT
DESTDIR=$folder/root cmake --install "$build" --component library --prefix /usr >/dev/null
LD_LIBRARY_PATH=$(dirname "$(find "$folder/root" -name 'libatmost.so.1' | head -n 1)")
ATMOST_DIR=$folder/locks ATMOST_CONFORMANCE=$source/bindings/conformance.json
ATMOST_DOCUMENT=$source/docs/perl.md ATMOST_PROGRAM=$build/bin/atmost
ATMOST_INCLUDE=$folder/root/usr/include
export LD_LIBRARY_PATH ATMOST_DIR ATMOST_CONFORMANCE ATMOST_DOCUMENT ATMOST_PROGRAM ATMOST_INCLUDE

cp -r "$source/bindings/perl" "$folder/perl"
cd "$folder/perl"
{ perl Makefile.PL INSTALL_BASE="$folder/root/perl" NO_PACKLIST=1 NO_PERLLOCAL=1 &&
    make install; } >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
cp -r tests "$folder/tests"
cd "$folder/tests"
rm -r "$folder/perl"
PERL5LIB=$folder/root/perl/lib/perl5:$folder/tests
TMPDIR=$folder
export PERL5LIB TMPDIR
if [ -n "$script" ]; then
  perl "$script"
  exit
fi
prove ./*.t
