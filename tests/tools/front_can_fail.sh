#!/bin/sh
# tools/check_front passes an innocent object and names the symbol of each planted use of the heap
# or of the C++ runtime; and a program that uses the runtime does not link with the C linker line
# that front_program uses.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
check=$here/../../tools/check_front
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

compile() {
  printf '%s\n' "$1" >"$dir/planted.cc"
  # shellcheck disable=SC2086  # options, none or more
  "${CXX:-c++}" -std=c++20 -O2 $2 -c "$dir/planted.cc" -o "$dir/planted.o"
}
front="-fno-exceptions -fno-rtti -fno-threadsafe-statics"

# plant WORDS FLAGS SOURCE
plant() {
  compile "$3" "$2"
  if "$check" --objects "$dir/planted.o" >"$dir/said"; then
    echo "FAIL: not seen: $3"
    exit 1
  fi
  grep -q "$1" "$dir/said" || { echo "FAIL: expected '$1', got:"; cat "$dir/said"; exit 1; }
}

compile '#include <string_view>
int f(std::string_view s) { return s.find("x") != s.npos; }' "$front"
"$check" --objects "$dir/planted.o" || { echo "FAIL: an innocent object was refused"; exit 1; }

plant 'operator new' "$front" 'int* f() { return new int[3]; }'
plant 'operator delete' "$front" 'void f(int* p) { delete p; }'
plant 'operator delete' "$front" 'struct A { virtual ~A(); }; A::~A() = default;'
plant 'throws' "$front" '#include <string_view>
auto f(std::string_view s, unsigned n) { return s.substr(n); }'
plant 'C++ library' "$front" '#include <ostream>
void f(std::ostream& out) { out << 1; }'
plant 'exceptions' '' 'void f() { throw 1; }'
plant 'RTTI' '' 'struct A { virtual void f(); }; void A::f() {}'
plant 'needs a guard' '' 'int g(); int f() { static int x = g(); return x; }'
plant 'getpid past the table' "$front" '#include <unistd.h>
int f() { return getpid(); }'
plant 'past the table' "$front" 'namespace atmost::os::platform { void adopt_orphans(bool); }
void f() { atmost::os::platform::adopt_orphans(true); }'
plant 'malloc' "$front" '#include <stdlib.h>
void* f() { return malloc(7); }'
plant 'opendir' "$front" '#include <dirent.h>
DIR* f() { return opendir("/"); }'

compile 'int main(int n, char**) { delete new int[3]{n}; volatile int* p = new int(n); return *p; }' "$front"
if "${CC:-cc}" "$dir/planted.o" -o "$dir/planted" 2>"$dir/said"; then
  echo "FAIL: a program that uses operator new was linked without the C++ library"
  exit 1
fi
"${CXX:-c++}" "$dir/planted.o" -o "$dir/planted"
if "$check" --programs "$dir/planted" >"$dir/said"; then
  echo "FAIL: a program that holds the C++ runtime was passed"
  exit 1
fi

# A room of the back tier, linked into a program that is innocent otherwise.
compile 'namespace atmost::doctor { int diagnose(int n) { return n; } }' "$front"
mv "$dir/planted.o" "$dir/room.o"
compile 'namespace atmost::doctor { int diagnose(int); }
int main(int n, char**) { return atmost::doctor::diagnose(n); }' "$front"
"${CC:-cc}" "$dir/planted.o" "$dir/room.o" -o "$dir/planted"
"$check" --programs "$dir/planted" >"$dir/said" || { echo "FAIL: an innocent program was refused"; exit 1; }
if "$check" --programs "$dir/planted" --back "$dir/room.o" >"$dir/said"; then
  echo "FAIL: a program that holds code of the back tier was passed"
  exit 1
fi
grep -q 'of the back tier: .*room.o' "$dir/said" || { cat "$dir/said"; exit 1; }
