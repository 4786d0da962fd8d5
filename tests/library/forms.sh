#!/bin/sh
# The headers compile without a warning, as C and as C++, in each way to call them, with every
# compiler there is.
set -eu
source=$1
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
for compiler in g++ clang++ c++; do
  command -v "$compiler" >/dev/null || continue
  for standard in c++17 c++20; do
    # shellcheck disable=SC2086 # several words
    "$compiler" -std=$standard $warnings -fsyntax-only -I "$source/include" "$source/tests/library/forms.cc"
  done
done
for compiler in gcc clang cc; do
  command -v "$compiler" >/dev/null || continue
  # shellcheck disable=SC2086
  "$compiler" -std=c99 $warnings -fsyntax-only -I "$source/include" "$source/examples/library/atom.c"
done
