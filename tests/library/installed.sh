#!/bin/sh
# The library as others get it: installed somewhere, found by pkg-config and by CMake, linked shared
# and static.
set -eu
build=$1 source=$2
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-installed.XXXXXX")
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix
cmake --install "$build" --component library --prefix "$prefix" >/dev/null
pc=$(find "$prefix" -name atmost.pc)
lib=$(dirname "$(dirname "$pc")")
PKG_CONFIG_PATH=$(dirname "$pc")
ATMOST_DIR=$folder/locks
export PKG_CONFIG_PATH ATMOST_DIR

runs() {
  rm -rf "$ATMOST_DIR"
  LD_LIBRARY_PATH=$lib "$1" /etc/motd | grep -q '^editing /etc/motd (token [1-9][0-9]*)$'
}
# shellcheck disable=SC2046 # the words of pkg-config are words
cc "$source/examples/library/atom.c" $(pkg-config --cflags --libs atmost) -o "$folder/shared"
runs "$folder/shared"
# shellcheck disable=SC2046
cc -static "$source/examples/library/atom.c" $(pkg-config --static --cflags --libs atmost) -o "$folder/static"
runs "$folder/static"
# shellcheck disable=SC2046
c++ -std=c++17 "$source/examples/library/seats.cc" $(pkg-config --cflags --libs atmost) -o "$folder/seats"
[ "$(LD_LIBRARY_PATH=$lib "$folder/seats")" = "seat 1" ]

# Nothing of C++ comes with it.
if readelf -d "$lib/libatmost.so" | grep NEEDED | grep -v 'libc\.so\|libpthread\|ld-linux'; then
  echo "installed: it needs more than the C library" >&2
  exit 1
fi

mkdir "$folder/project"
cat >"$folder/project/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C CXX)
find_package(atmost 0.1 REQUIRED)
add_executable(by_shared $source/examples/library/atom.c)
target_link_libraries(by_shared atmost::atmost)
add_executable(by_static $source/examples/library/atom.c)
target_link_libraries(by_static atmost::atmost-static)
EOF
cmake -S "$folder/project" -B "$folder/project/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$folder/project/build" >/dev/null
runs "$folder/project/build/by_shared"
runs "$folder/project/build/by_static"
