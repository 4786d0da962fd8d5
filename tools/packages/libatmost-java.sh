#!/bin/sh
# The binding's own tests, against what is installed.  Read by tools/try_packages.
# needs: openjdk-17-jdk-headless junit5 libgoogle-gson-java
set -eu
cd "$(mktemp -d)"
cp -r /trial/bindings/java/tests .
ATMOST_DIR=$PWD/locks ATMOST_PROGRAM=/usr/bin/atmost
ATMOST_CONFORMANCE=/trial/bindings/conformance.json ATMOST_DOCUMENT=/trial/docs/java.md
export ATMOST_DIR ATMOST_PROGRAM ATMOST_CONFORMANCE ATMOST_DOCUMENT
mkdir built
TMPDIR=$PWD tests/junit.sh /usr/share/java/atmost.jar "$PWD/built" >out || { cat out; exit 1; }
grep 'tests successful' out
