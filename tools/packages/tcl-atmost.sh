#!/bin/sh
# The binding's own tests, against what is installed.  Read by tools/try_packages.
# needs: tclx8.4 tcl-thread tcllib
set -eu
cd "$(mktemp -d)"
cp -rL /trial/bindings/tcl/tests /trial/bindings/tcl/README.md .
TMPDIR=$PWD tclsh8.6 tests/all.tcl >out || { cat out; exit 1; }
grep Total out
