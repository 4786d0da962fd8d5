#!/bin/sh
# docs/history-format.md has a row for each field that is written to the log.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
fields=$(sed -n 's/^inline constexpr std::string_view k[A-Za-z]* = "\([a-z_]*\)";$/\1/p' "$top/src/core/event.h")
[ "$(printf '%s\n' "$fields" | wc -l)" -ge 40 ] || { echo "FAIL: the fields were not found"; exit 1; }
for field in $fields; do
  grep -q "^| .*\`$field\`.* |" "$top/docs/history-format.md" || {
    echo "FAIL: docs/history-format.md has no row for $field"
    exit 1
  }
done
