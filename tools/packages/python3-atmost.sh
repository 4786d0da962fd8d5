#!/bin/sh
# The binding's own tests, against what is installed.  Read by tools/try_packages.
# needs: python3-pytest
set -eu
cd "$(mktemp -d)"
cp -rL /trial/bindings/python/tests /trial/bindings/python/README.md .
python3 -c 'import atmost; assert atmost.__file__.startswith("/usr/lib/python3")'
python3 -m pytest -q -p no:cacheprovider tests
