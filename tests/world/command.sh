#!/bin/sh
# command.sh WORLD: what the program that runs worlds prints and returns.
set -eu
world=$1
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"

fail() {
  echo "FAIL: $1"
  cat said
  exit 1
}
# ends CODE PATTERN ARGUMENT...: it ends so, and one of its lines matches.
ends() {
  code=0
  expected=$1 pattern=$2
  shift 2
  "$world" "$@" >said 2>&1 || code=$?
  [ $code = "$expected" ] || fail "$*: ended with $code, not $expected"
  grep -qxE "$pattern" said || fail "$*: no line is $pattern"
}

ends 0 'tools/world runs .*' --help
ends 2 'world: there is no option --sed; --help lists them' --sed 1
ends 2 'world: none.world cannot be read' --replay none.world

ends 0 'nothing found worlds 20 admissions [1-9][0-9]* seconds [0-9.]+' --seed 1 --count 20
ends 0 'seeds from 5700 on, for 1 s, 2 side by side' --seed 5700 --seconds 1 --jobs 2 --callers 2 --runs 1
grep -qE '^nothing found worlds [1-9][0-9]* ' said || fail "no sum of what children did"

# Fibers and real processes make the same world, step by step.
"$world" --seed 3 --steps >by_fibers
"$world" --seed 3 --steps --processes real >by_processes
grep -qE " p[0-9]+ " by_fibers || fail "no steps"
sed -i 's/ seconds .*//' by_fibers by_processes
cmp by_fibers by_processes >said || fail "real processes make another world"

cat >small.world <<'X'
world 1
seed 7
caller
  run
caller kind=library
  run wait=1s
events listed
event p0 2 run p1
X
ends 0 'nothing found worlds 1 admissions 1 seconds [0-9.]+' --replay small.world
ends 0 ' *[0-9.]+s .* p1 is admitted to slot 1' --replay small.world --picture world.svg
grep -q '</svg>' world.svg || fail "no picture"
ends 2 'world: small.world breaks no invariant' --shrink small.world
echo 'event p0 2 jump' >>small.world
ends 2 'world: small.world:9: "jump" is not an event' --replay small.world
