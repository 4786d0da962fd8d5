#!/bin/sh
# check.sh holds|breaks MODEL [-DOPTION]...
# Has spin look at every state of a model: all assertions hold, or the expected one is violated.
set -eu
expected=$1 model=$2
shift 2
command -v spin >/dev/null || { echo "spin is missing: tools/install_deps check" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
spin "$@" -a "$model"
# COLLAPSE keeps states small; -E: a process may wait for ever at the end of a run.
cc -O2 -w -DSAFETY -DCOLLAPSE -DNOCLAIM -o pan pan.c
./pan -E -m1000000 >said
cat said
if grep -q 'max search depth too small\|out of memory\|error:' said; then exit 1; fi
case $expected in
  holds) grep -q 'errors: 0$' said && ! grep -q 'Search not completed' said ;;
  breaks) grep -q 'assertion violated' said ;;
  *) exit 64 ;;
esac
