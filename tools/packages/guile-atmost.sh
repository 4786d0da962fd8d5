#!/bin/sh
# The binding's own tests, against what is installed.  Read by tools/try_packages.
# needs: gcc libc6-dev pkgconf guile-json
set -eu
cd "$(mktemp -d)"
cp -rL /trial/bindings/guile/tests /trial/bindings/guile/README.md .
GUILE=guile-3.0 GUILE_AUTO_COMPILE=0
export GUILE GUILE_AUTO_COMPILE
cd tests
TMPDIR=$PWD guile-3.0 -L . all.scm >out 2>&1 || { cat out; exit 1; }
grep passed out
