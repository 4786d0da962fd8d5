#!/bin/sh
# of_this_state.sh VERSION COMMAND WORD...: runs COMMAND with the first seed of this state of the
# code instead of SEED at the end of a word. All who test the same commit try the same seeds, and
# the next commit has others; make soak and make world try random ones. Outside a checkout the seed
# is that of VERSION.
set -eu
root=${ROOT-$(cd "$(dirname "$0")/../.." && pwd)}
version=$1
shift
if [ -e "$root/.git" ] && hash=$(git -C "$root" rev-parse --verify --quiet HEAD); then
  seed=$((0x$(printf %.8s "$hash")))
  state="commit $hash"
  git -C "$root" diff --quiet HEAD -- || state="$state, with changes that are not committed"
else
  seed=$(printf %s "$version" | cksum | cut -d ' ' -f 1)
  state="version $version, as this is no git checkout"
fi
printf 'first seed %s, of %s\n' "$seed" "$state"
for word; do
  shift
  case $word in *SEED) word=${word%SEED}$seed ;; esac
  set -- "$@" "$word"
done
exec "$@"
