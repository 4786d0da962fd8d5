#!/bin/sh
# The demonstration of `make demo`, in the programs' folder BUILD/bin: the three limits, with a
# witness. Sixteen compressors are started at once, three run at a time, and the witness counts
# them: a file to which each compressor's wrapper appends a mark when it begins and when it ends;
# atmost does not use it. Everything happens in a temporary directory, which is removed.
#
# demo.sh --build builds `atmost` first, with what Debian has, and reports that in one line.
set -eu

build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
if [ "${1-}" = --build ]; then
  source=$(cd "$(dirname "$0")/.." && pwd)
  mkdir -p "$build"
  log=$build/log
  echo "Building atmost from its source: a minute or so (log: $log)"
  {
    "$source/tools/install_deps" demo &&
      cmake -S "$source" -B "$build" -G Ninja -DATMOST_TESTS=OFF -DATMOST_BACK=OFF &&
      cmake --build "$build" -j "$(nproc)" --target atmost
  } >"$log" 2>&1 || {
    tail -20 "$log" >&2
    exit 1
  }
fi
PATH=$build/bin:$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/atmost-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
ATMOST_DIR=$work
export ATMOST_DIR
trap 'exit 130' INT
trap 'exit 143' TERM

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }

mkdir "$work/files"
count=0
for file in /usr/bin/* /usr/lib/*/*.so*; do
  [ -f "$file" ] && [ ! -L "$file" ] && [ -r "$file" ] || continue
  size=$(wc -c <"$file")
  [ "$size" -gt 300000 ] && [ "$size" -lt 3000000 ] || continue
  cp "$file" "$work/files/$(printf %02d "$count")-${file##*/}"
  count=$((count + 1))
  [ "$count" -lt 16 ] || break
done

cat >"$work/compress" <<'SH'
#!/bin/sh
echo "+ $1" >>"$WITNESS"
gzip -9 "$1"
code=$?
echo "- $1" >>"$WITNESS"
exit "$code"
SH
chmod +x "$work/compress"
WITNESS=$work/witness
export WITNESS
: >"$WITNESS"

say "At most 3 at a time: $count files, $count compressors, of which 3 are let through:"
echo "    atmost run -n 3 -w inf gzip -- compress FILE"
printf '%s\0' "$work"/files/* | xargs -0 -P 16 -n 1 atmost run -n 3 -w inf gzip -- "$work/compress" &
workers=$!

say "atmost list, while they run:"
until [ "$(grep -c '^+' "$WITNESS")" -ge 4 ] || ! kill -0 "$workers" 2>/dev/null; do sleep 0.1; done
atmost list gzip

wait "$workers"

say "The count of a witness that knows nothing of atmost:"
awk '
  $1 == "+" { inside++; begun++; if (inside > most) most = inside }
  $1 == "-" { inside--; ended++ }
  END {
    printf "    %d begun, %d ended, at most %d at once\n", begun, ended, most
    exit !(most <= 3 && begun == ended && begun > 0)
  }' "$WITNESS"

say "At most once every 15 minutes: the second run comes too soon (exit code 76):"
atmost run --if-elapsed 15m backup -- echo "    the first one runs"
code=0
atmost run --if-elapsed 15m backup -- echo never || code=$?
[ "$code" = 76 ]

say "When nothing is free, a caller is refused (exit code 75); kill -9 frees the place at once:"
# shellcheck disable=SC2016  # for the inner shell
atmost run one -- sh -c 'echo $$ >"$ATMOST_DIR/number"; exec sleep 30' &
holder=$!
until [ -s "$work/number" ]; do sleep 0.05; done
code=0
atmost run one -- echo never || code=$?
[ "$code" = 75 ]
kill -9 "$(cat "$work/number")"
wait "$holder" 2>/dev/null || true
atmost run one -- echo "    the next one runs"

say "For at most a second: a job that hangs is stopped, with all that it started (exit code 124):"
code=0
atmost run --max-runtime 1s --kill-grace 1s sync -- sh -c 'sleep 30 & wait' || code=$?
[ "$code" = 124 ]

echo
echo "That was ${BUILD:-build}/bin/atmost. 'make' builds the rest: history, reports, fleets."
