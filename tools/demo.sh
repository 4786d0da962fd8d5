#!/bin/sh
# What `make demo` shows: twelve compressors are started at once, three run at a time, and a witness
# counts them.
#
# The witness is a file to which each compressor's wrapper appends a mark when it begins and when it
# ends; atmost knows nothing of it. Everything happens in a temporary directory, which is removed at
# the end; a report of it stays.
set -eu

bin=${BUILD:-build}/bin
case $bin in /*) ;; *) bin=$PWD/$bin ;; esac
PATH=$bin:$PATH
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
  [ "$size" -gt 300000 ] && [ "$size" -lt 6000000 ] || continue
  cp "$file" "$work/files/$(printf %02d "$count")-${file##*/}"
  count=$((count + 1))
  [ "$count" -lt 36 ] || break
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

say "$count real files, 12 compressors at a time, at most 3 of them let through:"
echo "    atmost run -n 3 -w inf gzip -- compress FILE"
started=$(date +%s)
printf '%s\0' "$work"/files/* | xargs -0 -P 12 -n 1 atmost run -n 3 -w inf gzip -- "$work/compress" &
workers=$!

say "atmost list, while they run:"
until [ "$(grep -c '^+' "$WITNESS")" -ge 4 ] || ! kill -0 "$workers" 2>/dev/null; do sleep 0.1; done
atmost list gzip

wait "$workers"
finished=$(date +%s)

say "The witness's count:"
awk '
  $1 == "+" { inside++; begun++; if (inside > most) most = inside }
  $1 == "-" { inside--; ended++ }
  END {
    printf "    %d begun, %d ended, at most %d at once\n", begun, ended, most
    exit !(most <= 3 && begun == ended && begun > 0)
  }' "$WITNESS"
# shellcheck disable=SC2012  # names of our own
echo "    in $((finished - started)) s; $(ls "$work"/files/*.gz | wc -l) files compressed"

say "And when nothing is free, it says so and does nothing (exit code 75):"
atmost run one -- sleep 30 &
holder=$!
until [ "$(atmost check one)" = 1 ]; do sleep 0.05; done
code=0
atmost run one -- echo never || code=$?
kill "$holder"
wait "$holder" || true
[ "$code" = 75 ]

say "A job that hangs is stopped by the next one, once it is overdue; one that comes too soon is refused (76):"
atmost run mirror -- sleep 30 &
holder=$!
until [ "$(atmost check mirror)" = 1 ]; do sleep 0.05; done
sleep 1
atmost run --expire-after 1s --kill-grace 1s mirror -- echo "    the newcomer runs"
wait "$holder" || true
code=0
atmost run --if-elapsed 15m mirror -- echo never || code=$?
[ "$code" = 76 ]

say "All that, in numbers and as a page:"
atmost stats
report=${bin%/bin}/demo.html
atmost report -o "$report"
echo "    $report"
