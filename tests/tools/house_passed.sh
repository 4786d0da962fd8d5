#!/bin/sh
# tools/house with all of its figures: the functions and files of ours that a run passes, and a
# program that takes a lock through the library. For these a build of Debug in which nothing is
# inlined is made or brought up to date. Called with that build's folder and the sources'.
set -eu
build=$1
top=$2
if [ ! -f "$build/CMakeCache.txt" ]; then
  # Without inlining a string_view keeps its call for a wrong position, a function of the C++
  # runtime library. Of programs whose functions are in a chosen order (musl) valgrind does not
  # find the files.
  cmake -S "$top" -B "$build" -DCMAKE_BUILD_TYPE=Debug -DATMOST_TESTS=OFF -DATMOST_MUSL=OFF \
    "-DCMAKE_CXX_FLAGS=-g -fno-inline -fno-inline-functions-called-once" \
    -DCMAKE_C_STANDARD_LIBRARIES=-lstdc++ >/dev/null
fi
cmake --build "$build" -j 2 --target atmost atmost_static >"$build/log" || { tail "$build/log"; exit 1; }
cc -o "$build/bin/take_and_release" "$top/tests/tools/take_and_release.c" "-I$top/include" \
  "$build/lib/libatmost.a" -lstdc++ -pthread
exec "$top/tools/house" --passed "$build"
