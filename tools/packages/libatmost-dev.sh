#!/bin/sh
# The examples, compiled with the flags of pkg-config and CMake. Read by tools/try_packages.
# needs: gcc g++ libc6-dev pkgconf cmake make
set -eu
cd "$(mktemp -d)"
ATMOST_DIR=$PWD
export ATMOST_DIR
# shellcheck disable=SC2046
cc -o atom /trial/examples/library/atom.c $(pkg-config --cflags --libs atmost)
# shellcheck disable=SC2046
c++ -std=c++20 -o seats /trial/examples/library/seats.cc $(pkg-config --cflags --libs atmost)
./atom one >/dev/null
./seats >/dev/null
mkdir cmake
cat >cmake/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(trial LANGUAGES C)
find_package(atmost REQUIRED)
add_executable(trial /trial/examples/library/atom.c)
target_link_libraries(trial atmost::atmost)
END
cmake -S cmake -B built >/dev/null
cmake --build built >/dev/null
./built/trial other >/dev/null
echo "examples compiled through pkg-config and CMake, and run"
