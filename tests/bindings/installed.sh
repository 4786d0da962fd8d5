#!/bin/sh
# Programs and bindings find all that `make install` installs: installed.sh BUILD SOURCE LANGUAGE
# installs everything into a new prefix, builds and installs the language's binding by its
# document, and runs its smallest program with nothing that would help the dynamic linker. The
# witness is `atmost check`.
set -eu
build=$1 source=$2 language=$3
unset LD_LIBRARY_PATH PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR DESTDIR ATMOST_STORE ATMOST_HELD \
  ATMOST_LOCK ATMOST_LOCKFILE ATMOST_SLOT ATMOST_SLOTS ATMOST_INDICES ATMOST_TOKEN ATMOST_WAITED_MS
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-installed.XXXXXX")
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix
quiet() { "$@" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }; }
quiet "$source/tools/install" "$build" "$prefix"
PATH=$prefix/bin:$PATH ATMOST_DIR=$folder/locks PKG_CONFIG_PATH=$prefix/lib/pkgconfig
GUILE_AUTO_COMPILE=0 LC_ALL=C.UTF-8 HOME=$folder
export PATH ATMOST_DIR PKG_CONFIG_PATH GUILE_AUTO_COMPILE LC_ALL HOME
mkdir "$folder/program"
if [ "$language" != c ]; then
  cp -rL "$source/bindings/$language" "$folder/binding"
  cp "$source/LICENSE" "$folder/binding"
  cd "$folder/binding"
fi

# Builds and installs the program, and sets the command that runs it: it takes the lock "one",
# asks `atmost check one` and prints the answer, and releases it.
case $language in
  c)
    cat >"$folder/program/one.c" <<'C'
#include <atmost/atmost.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  atmost_request* request = atmost_new("one");
  atmost_lock* lock;
  if (atmost_get(request, &lock) != ATMOST_ADMITTED) {
    fprintf(stderr, "%s\n", atmost_message());
    return 1;
  }
  int code = system("atmost check one");
  atmost_release(lock, 1);
  return code;
}
C
    # shellcheck disable=SC2046 # the words of pkg-config are words
    quiet cc "$folder/program/one.c" $(pkg-config --cflags --libs atmost) -o "$folder/program/one"
    set -- "$folder/program/one"
    ;;
  python)
    quiet /usr/bin/python3 -m venv --system-site-packages "$folder/venv"
    quiet "$folder/venv/bin/python" -m pip install -q --no-deps --no-index .
    set -- "$folder/venv/bin/python" -c 'import atmost, subprocess
with atmost.Lock("one"):
    subprocess.run(["atmost", "check", "one"], check=True)'
    ;;
  perl)
    quiet perl Makefile.PL INSTALL_BASE="$prefix" NO_PACKLIST=1 NO_PERLLOCAL=1
    quiet make install
    set -- env PERL5LIB="$prefix/lib/perl5" perl -MAtmost=with_lock -e \
      'with_lock { system "atmost", "check", "one" } "one"'
    ;;
  node)
    quiet npm ci --no-audit --no-fund
    quiet npm pack --pack-destination "$folder"
    quiet npm install --no-audit --no-fund --prefer-offline --global --prefix "$prefix" "$folder"/atmost-*.tgz
    set -- env NODE_PATH="$prefix/lib/node_modules" node -e '
const {withLock} = require("atmost");
withLock("one", () => require("child_process").execSync("atmost check one", {stdio: "inherit"}));'
    ;;
  guile)
    guile=$(command -v guile-3.0 || command -v guile)
    guild=$(command -v guild-3.0 || command -v guild)
    quiet make -s install prefix="$prefix" GUILE="$guile" GUILD="$guild"
    set -- env GUILE_LOAD_PATH="$prefix/share/guile/site/3.0" \
      GUILE_LOAD_COMPILED_PATH="$prefix/lib/guile/3.0/site-ccache" "$guile" -c \
      '(use-modules (atmost)) (with-lock "one" (system* "atmost" "check" "one"))'
    ;;
  java)
    quiet make -s install prefix="$prefix"
    cat >"$folder/program/One.java" <<'JAVA'
import atmost.Lock;

class One {
    public static void main(String[] words) throws Exception {
        new Lock("one").run(held -> new ProcessBuilder("atmost", "check", "one").inheritIO().start().waitFor());
    }
}
JAVA
    set -- java -cp "$prefix/share/java/atmost.jar:/usr/share/java/jna.jar" "$folder/program/One.java"
    ;;
  tcl)
    quiet make -s install prefix="$prefix"
    cat >"$folder/program/one.tcl" <<'TCL'
package require atmost
atmost::with one { exec atmost check one >@stdout }
TCL
    set -- env TCLLIBPATH="$prefix/lib/tcltk" tclsh8.6 "$folder/program/one.tcl"
    ;;
esac
cd "$folder/program"
held=$("$@") || { echo "installed: $language: the program ended with $?" >&2; exit 1; }
[ "$held" = 1 ] || { echo "installed: $language: $held held while it held the lock" >&2; exit 1; }
free=$(atmost check one)
[ "$free" = 0 ] || { echo "installed: $language: $free held after its end" >&2; exit 1; }

# Without the library: the message names the cure. C has no binding that could say so.
[ "$language" != c ] || exit 0
find "$prefix" -name 'libatmost.so*' -exec rm {} +
if "$@" >"$folder/log" 2>&1; then
  echo "installed: $language: it runs without the library" >&2
  exit 1
fi
grep -q 'libatmost.so.1.*ldconfig.*LD_LIBRARY_PATH' "$folder/log" ||
  { echo "installed: $language: no cure named:" >&2; cat "$folder/log" >&2; exit 1; }
