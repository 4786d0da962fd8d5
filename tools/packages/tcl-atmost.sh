#!/bin/sh
# The binding's own tests, against what is installed.  Read by tools/try_packages.
# needs: tclx8.4 tcl-thread tcllib
set -eu
cd "$(mktemp -d)"
cp -r /trial/bindings/tcl/tests .
ATMOST_DIR=$PWD/locks ATMOST_PROGRAM=/usr/bin/atmost
ATMOST_CONFORMANCE=/trial/bindings/conformance.json ATMOST_DOCUMENT=/trial/docs/tcl.md
export ATMOST_DIR ATMOST_PROGRAM ATMOST_CONFORMANCE ATMOST_DOCUMENT
TMPDIR=$PWD tclsh8.6 tests/all.tcl >out || { cat out; exit 1; }
grep Total out
