#!/bin/sh
# Nothing but the shared library.  Read by tools/try_packages.
set -eu
ldconfig -p | grep -q 'libatmost\.so\.1 '
echo "found by the loader"
