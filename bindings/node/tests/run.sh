#!/bin/sh
# The binding as others get it: the library installed with DESTDIR, the package that npm pack makes,
# installed in a folder of its own.  run.sh BUILD SOURCE [SCRIPT]: the tests, or the script.
# The npm registry must be reachable, for koffi and what checks the types.
set -eu
# A command that runs under atmost already would be told that it holds its parent's lock itself.
unset ATMOST_STORE ATMOST_HELD ATMOST_LOCK ATMOST_LOCKFILE ATMOST_SLOT ATMOST_SLOTS ATMOST_INDICES \
  ATMOST_TOKEN ATMOST_WAITED_MS
build=$1 source=$2 script=${3-}
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-node.XXXXXX")
trap 'rm -rf "$folder"' EXIT
for program in node npm; do
  command -v "$program" >/dev/null || { echo "run.sh: $program is missing" >&2; exit 1; }
done
DESTDIR=$folder/root cmake --install "$build" --component library --prefix /usr >/dev/null
pc=$(find "$folder/root" -name atmost.pc)
LD_LIBRARY_PATH=$(dirname "$(dirname "$pc")")
ATMOST_DIR=$folder/locks ATMOST_CONFORMANCE=$source/bindings/conformance.json
ATMOST_DOCUMENT=$source/docs/node.md ATMOST_PROGRAM=$build/bin/atmost
ATMOST_INCLUDE=$folder/root/usr/include
export LD_LIBRARY_PATH ATMOST_DIR ATMOST_CONFORMANCE ATMOST_DOCUMENT ATMOST_PROGRAM ATMOST_INCLUDE
npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
export npm_config_audit npm_config_fund npm_config_update_notifier
quiet() { "$@" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }; }

cp -r "$source/bindings/node" "$folder/node"
cp "$source/LICENSE" "$folder/node"
mkdir "$folder/program"
cd "$folder/node"
quiet npm ci
quiet npm pack --pack-destination "$folder"
cd "$folder/program"
echo '{ "private": true }' >package.json
quiet npm install --prefer-offline "$folder"/atmost-*.tgz
mv "$folder/node/tests" .
if [ -n "$script" ]; then
  cp "$script" tests
  TMPDIR=$folder NODE_PATH=$folder/node/node_modules${NODE_PATH:+:$NODE_PATH} \
    node "tests/$(basename "$script")"
  exit
fi
"$folder/node/node_modules/.bin/tsc" --noEmit --strict --target es2022 --module nodenext \
  tests/types.mts
node --test tests/*.test.*js
