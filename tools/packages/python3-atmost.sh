#!/bin/sh
# The binding's own tests, against what is installed.  Read by tools/try_packages.
# needs: python3-pytest
set -eu
cd "$(mktemp -d)"
cp -r /trial/bindings/python/tests .
ATMOST_DIR=$PWD/locks ATMOST_PROGRAM=/usr/bin/atmost
ATMOST_CONFORMANCE=/trial/bindings/conformance.json ATMOST_DOCUMENT=/trial/docs/python.md
export ATMOST_DIR ATMOST_PROGRAM ATMOST_CONFORMANCE ATMOST_DOCUMENT
python3 -c 'import atmost; assert atmost.__file__.startswith("/usr/lib/python3")'
python3 -m pytest -q -p no:cacheprovider tests
