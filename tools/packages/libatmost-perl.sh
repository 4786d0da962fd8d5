#!/bin/sh
# The binding's own tests, against what is installed.  Read by tools/try_packages.
# needs: gcc libc6-dev pkgconf
set -eu
cd "$(mktemp -d)"
cp -rL /trial/bindings/perl/tests /trial/bindings/perl/README.md .
TMPDIR=$PWD prove tests/*.t >out || { cat out; exit 1; }
grep Tests= out
