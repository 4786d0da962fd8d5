#!/bin/sh
# A copy of the shipped code passes tools/check_layers; the same copy with one fault planted does
# not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

for part in include src cli libexec; do
  if [ -d "$top/$part" ]; then cp -R "$top/$part" "$tree/"; fi
done
"$top/tools/check_layers" "$tree" >"$tree/said" || { cat "$tree/said"; exit 1; }

# plant FILE LINE WORDS: with LINE at the end of FILE the check fails, and prints WORDS about that
# very file.
plant() {
  mkdir -p "$tree/$(dirname "$1")"
  existed=no
  if [ -f "$tree/$1" ]; then existed=yes; cp "$tree/$1" "$tree/saved"; fi
  printf '%s\n' "$2" >>"$tree/$1"
  if "$top/tools/check_layers" "$tree" >"$tree/said" 2>&1; then
    echo "FAIL: not seen in $1: $2"
    exit 1
  fi
  grep -q "^$1.*$3" "$tree/said" || { echo "FAIL: $1: expected '$3', got:"; cat "$tree/said"; exit 1; }
  if [ $existed = yes ]; then mv "$tree/saved" "$tree/$1"; else rm "$tree/$1"; fi
}

echo '#define PLANTED' >"$tree/src/policy/planted.h"
echo '#define PLANTED' >"$tree/src/os/planted.h"
plant src/request/planted.cc '#include "policy/planted.h"' 'src/request includes'
plant src/policy/planted.cc '#include "os/planted.h"' 'os/, stores, words for people'
plant src/store/local/planted.cc '#include "policy/planted.h"' 'policy; each other'
plant src/run/planted.cc '#  include  "../policy/planted.h"' 'stores, history'
plant cli/planted.cc '#include "policy/planted.h"' 'anything but src/core/'
plant include/atmost/planted.h '#include <sys/stat.h>' 'OS header'
plant include/atmost/planted.h '#include "core/view.h"' 'not installed'
plant src/core/planted.h '#include <sys/stat.h>' 'OS header'
plant src/request/planted.cc '#include <unistd.h>' 'OS header'
plant src/policy/planted.cc '#include <ctime>' 'OS header'
plant src/run/planted.cc '#include <vector>' 'heap'
plant src/os/planted.cc '#include "absent.h"' 'is no file'
plant src/store/local/planted.cc '#include "os/calls.h"' 'table of system calls'
plant src/limiter/planted.cc '#include "store/etcd/store.h"' 'belongs to the back tier'
plant src/limiter/planted.cc '#include "diagnosis/findings.h"' 'belongs to the back tier'
plant cli/planted.cc '#include "doctor/doctor.h"' 'belongs to the back tier'
plant src/limiter/planted.cc '#include "store/memory/store.h"' 'src/limiter includes'
plant libexec/history/planted.cc '#include "policy/planted.h"' 'libexec/history includes'
plant libexec/history/CMakeLists.txt 'target_link_libraries(atmost-history PRIVATE atmost_limiter)' 'links src/limiter'
plant src/policy/CMakeLists.txt 'front_room(NAME policy SOURCES a.cc ROOMS rule)' 'links src/rule'
plant src/diagnosis/planted.cc '#include "store/etcd/store.h"' 'stores, examining'
plant src/elsewhere/planted.cc 'int x;' 'no room'
plant src/os/planted.cc "$(yes '// line' | head -n 351)" '351 lines'
"$top/tools/check_layers" "$tree" >"$tree/said" 2>&1 || { echo "FAIL: a fault outlived its planting"; cat "$tree/said"; exit 1; }
