#!/bin/sh
# The binding's own tests, against what is installed.  Read by tools/try_packages.
# needs: gcc libc6-dev pkgconf openjdk-17-jdk-headless junit5 libgoogle-gson-java
set -eu
cd "$(mktemp -d)"
cp -rL /trial/bindings/java/tests /trial/bindings/java/README.md .
mkdir built
TMPDIR=$PWD tests/junit.sh /usr/share/java/atmost.jar "$PWD/built" >out || { cat out; exit 1; }
grep 'tests successful' out
