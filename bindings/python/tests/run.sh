#!/bin/sh
# The binding as others get it: the library installed with DESTDIR, the sdist, the wheel built from
# it, installed in a venv of its own.  run.sh BUILD SOURCE [SCRIPT]: the tests, or the script.
set -eu
# A command that runs under atmost already would be told that it holds its parent's lock itself.
unset ATMOST_STORE ATMOST_HELD ATMOST_LOCK ATMOST_LOCKFILE ATMOST_SLOT ATMOST_SLOTS ATMOST_INDICES \
  ATMOST_TOKEN ATMOST_WAITED_MS
build=$1 source=$2 script=${3-}
python=/usr/bin/python3
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-python.XXXXXX")
trap 'rm -rf "$folder"' EXIT
DESTDIR=$folder/root cmake --install "$build" --component library --prefix /usr >/dev/null
pc=$(find "$folder/root" -name atmost.pc)
LD_LIBRARY_PATH=$(dirname "$(dirname "$pc")")
PKG_CONFIG_LIBDIR=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=$folder/root
ATMOST_DIR=$folder/locks ATMOST_CONFORMANCE=$source/bindings/conformance.json
ATMOST_DOCUMENT=$source/docs/python.md ATMOST_PROGRAM=$build/bin/atmost
export ATMOST_DOCUMENT ATMOST_PROGRAM
export LD_LIBRARY_PATH PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR ATMOST_DIR ATMOST_CONFORMANCE

cp -r "$source/bindings/python" "$folder/python"
cd "$folder/python"
"$python" -c 'from setuptools.build_meta import build_sdist; build_sdist("../dist")' >"$folder/log" 2>&1 ||
  { cat "$folder/log"; exit 1; }
mkdir "$folder/unpacked"
tar -xf "$folder"/dist/atmost-*.tar.gz -C "$folder/unpacked" --strip-components 1
"$python" -m venv --system-site-packages "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --no-build-isolation --no-deps --no-index \
  "$folder/unpacked" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
cd "$folder/unpacked"
if [ -n "$script" ]; then
  TMPDIR=$folder PYTHONPATH=$folder/unpacked/tests "$folder/venv/bin/python" "$script"
  exit
fi
"$python" -m mypy --strict src tests
rm -rf src build
"$folder/venv/bin/python" -c 'import atmost, os
assert os.path.exists(os.path.join(os.path.dirname(atmost.__file__), "py.typed"))'
"$folder/venv/bin/python" -m pytest -q -p no:cacheprovider tests
