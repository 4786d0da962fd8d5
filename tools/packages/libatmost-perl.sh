#!/bin/sh
# The binding's own tests, against what is installed.  Read by tools/try_packages.
set -eu
cd "$(mktemp -d)"
cp -r /trial/bindings/perl/tests .
ATMOST_DIR=$PWD/locks ATMOST_PROGRAM=/usr/bin/atmost
ATMOST_CONFORMANCE=/trial/bindings/conformance.json ATMOST_DOCUMENT=/trial/docs/perl.md
export ATMOST_DIR ATMOST_PROGRAM ATMOST_CONFORMANCE ATMOST_DOCUMENT
TMPDIR=$PWD PERL5LIB=$PWD/tests prove tests/*.t >out || { cat out; exit 1; }
grep Tests= out
