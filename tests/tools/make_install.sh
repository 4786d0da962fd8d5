#!/bin/sh
# make_install.sh BUILD SOURCE: after `make install` the dynamic linker finds the library, or one
# line names the remedy. Its programs are stand-ins here, as the system's own cache is not the
# test's: they know of one folder, and note what they were asked.
set -eu
build=$1 source=$2
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-install.XXXXXX")
trap 'rm -rf "$folder"' EXIT
unset DESTDIR
mkdir "$folder/programs"
cat >"$folder/programs/ldconfig" <<'SH'
#!/bin/sh
case $* in
  '-N -X -v') echo "$KNOWN: (from /etc/ld.so.conf.d/some.conf:1)" ;;
  -p) cat "$CACHE" ;;
  '') echo "	libatmost.so.1 (libc6,x86-64) => $KNOWN/libatmost.so.1" >"$CACHE" ;;
esac
SH
cat >"$folder/programs/id" <<'SH'
#!/bin/sh
echo "$USER_ID"
SH
chmod +x "$folder/programs/ldconfig" "$folder/programs/id"
PATH=$folder/programs:$PATH KNOWN=$folder/known/lib CACHE=$folder/cache
export PATH KNOWN CACHE
install() {
  : >"$CACHE"
  USER_ID=$1 "$source/tools/install" "$build" "$2" ${3+"$3"} | grep -v '^-- ' >"$folder/said" || :
}
fail() {
  echo "make_install: $*: $(cat "$folder/said")" >&2
  exit 1
}
hint() { grep -q "^install: the dynamic linker does not look in $1: .*ldconfig.*LD_LIBRARY_PATH=$1\$" "$folder/said"; }

install 0 "$folder/known"
[ -s "$CACHE" ] || fail "the cache was not renewed"
[ ! -s "$folder/said" ] || fail "words where nothing is to be done"
install 1000 "$folder/known"
[ ! -s "$CACHE" ] || fail "the cache was renewed without root"
hint "$folder/known/lib" || fail "no hint without root"
install 0 "$folder/unknown"
[ ! -s "$CACHE" ] || fail "the cache was renewed, which does not help"
hint "$folder/unknown/lib" || fail "no hint for a folder that is not looked in"
install 0 /known "$folder/package"
[ ! -s "$CACHE" ] || fail "the cache was renewed for a package"
[ ! -s "$folder/said" ] || fail "words for a package"
[ -f "$folder/package/known/lib/libatmost.so.1" ] || fail "nothing is in the package"

# A program that is linked with atmost.pc remembers the folder, but not one of the system's own.
grep -q '^Libs: .*-rpath' "$folder/package/known/lib/pkgconfig/atmost.pc" || fail "no path recorded"
install 0 /usr "$folder/package"
pc=$(find "$folder/package/usr" -name atmost.pc)
! grep -q rpath "$pc" || fail "a path recorded for /usr"
