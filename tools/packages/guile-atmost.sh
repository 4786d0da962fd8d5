#!/bin/sh
# The binding's own tests, against what is installed.  Read by tools/try_packages.
# needs: guile-json
set -eu
cd "$(mktemp -d)"
cp -r /trial/bindings/guile/tests .
ATMOST_DIR=$PWD/locks ATMOST_PROGRAM=/usr/bin/atmost GUILE=guile-3.0 GUILE_AUTO_COMPILE=0
ATMOST_CONFORMANCE=/trial/bindings/conformance.json ATMOST_DOCUMENT=/trial/docs/guile.md
export ATMOST_DIR ATMOST_PROGRAM GUILE GUILE_AUTO_COMPILE ATMOST_CONFORMANCE ATMOST_DOCUMENT
TMPDIR=$PWD guile-3.0 -L tests tests/all.scm >out 2>&1 || { cat out; exit 1; }
grep passed out
