#!/bin/sh
# The tests of the command line, against what is installed. Read by tools/try_packages.
# needs: python3 procps strace tmux tzdata
set -eu
passed=0
skipped=
failed=
for script in /trial/tests/cli/*.sh; do
  case $script in */lib.sh | */soak_*) continue ;; esac
  code=0
  ATMOST_BIN=/usr/bin timeout 120 sh "$script" >/tmp/said 2>&1 </dev/null || code=$?
  case $code in
    0) passed=$((passed + 1)) ;;
    125) skipped="$skipped $(basename "$script" .sh)" ;;
    *)
      cat /tmp/said
      failed="$failed $(basename "$script" .sh)"
      ;;
  esac
done
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
echo "$passed tests of tests/cli passed; skipped:${skipped:- none}"
