#!/bin/sh
# The interface that programs were linked against stays: symbols, their versions and types are those
# of the baseline. After an addition, write it anew: abi.sh LIBRARY SOURCE write
set -eu
library=$1 source=$2
baseline=$source/src/library/libatmost.so.1.abi
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-abi.XXXXXX")
trap 'rm -rf "$folder"' EXIT

abidw --exported-interfaces-only --headers-dir "$source/include/atmost" --drop-private-types \
  --no-corpus-path --no-comp-dir-path --no-show-locs "$library" >"$folder/now"
if [ "${3-}" = write ]; then
  cp "$folder/now" "$baseline"
  exit 0
fi
if ! abidiff "$baseline" "$folder/now"; then
  echo "abi: programs that were linked before may not run: see above. If something was only added," >&2
  echo "abi: write the baseline anew: $0 $library $source write" >&2
  exit 1
fi

# A change would be seen: a function that is gone, and an entry of another size.
sed 's/atmost_finish/atmost_end/g' "$baseline" >"$folder/renamed"
sed "s/\(name='atmost_entry' size-in-bits='\)[0-9]*/\164/" "$baseline" >"$folder/entry"
for change in renamed entry; do
  if cmp -s "$baseline" "$folder/$change" || abidiff "$folder/$change" "$folder/now" >"$folder/said"; then
    echo "abi: \"$change\" was not seen" >&2
    exit 1
  fi
done
