#!/bin/sh
# The root file system that examples/container/Containerfile describes, made here line by line
# from the recipe, passes the tests of the image: its own locks, kill -9, signals for process 1, a
# folder of locks that two containers share. Needs root, and programs that are static. In: BUILD,
# the build directory. container.sh [TREE]: an unpacked archive instead of the build.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
recipe=$top/examples/container/Containerfile
[ "$(id -u)" = 0 ] || { echo "container: only root can change its root"; exit 125; }
unshare --mount --pid --fork true 2>/dev/null || { echo "container: no namespaces here"; exit 125; }
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-container.XXXXXX")
trap 'rm -rf --one-file-system "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
fail() { echo "container: $*" >&2; exit 1; }

tree=${1:-$folder/tree}
if [ $# -eq 0 ]; then
  # As tools/make_tarball does.
  for component in front common; do
    cmake --install "$BUILD" --component "$component" --prefix "$tree" >"$folder/log" || fail "$(cat "$folder/log")"
  done
  cp /usr/share/doc/musl-dev/copyright "$tree/share/doc/atmost/musl-copyright" 2>/dev/null || {
    echo "container: no musl"
    exit 125
  }
fi
if ldd "$tree/bin/atmost" >/dev/null 2>&1; then echo "container: the programs are not static"; exit 125; fi

# Each instruction; an unknown one fails.
root=$folder/root
mkdir "$root"
entry=
: >"$folder/env"
while read -r word rest; do
  case $word in
    '' | '#'*) ;;
    FROM) [ "$rest" = scratch ] || fail "FROM $rest" ;;
    COPY)
      to=${rest##* }
      case $to in /*/) ;; *) fail "COPY to no folder: $to" ;; esac
      mkdir -p "$root$to"
      for from in ${rest% *}; do cp "$tree/$from" "$root$to" || fail "COPY $from"; done
      ;;
    ENV) echo "$rest" >>"$folder/env" ;;
    WORKDIR) mkdir -p "$root$rest" && where=$rest ;;
    VOLUME) [ -d "$root$rest" ] || fail "VOLUME $rest is no folder" ;;
    ENTRYPOINT) entry=$(echo "$rest" | sed -n 's/^\["\([^"]*\)"\]$/\1/p') ;;
    CMD) default=$(echo "$rest" | sed -n 's/^\["\([^"]*\)"\]$/\1/p') ;;
    *) fail "an instruction that this test does not know: $word" ;;
  esac
done <"$recipe"
[ "$entry" = /bin/atmost ] || fail "the entry point is $entry"

[ "$(find "$root" -type f | wc -l)" = 4 ] || fail "other files than the recipe says: $(find "$root" -type f)"

# The additions of a runtime: /proc, and process numbers and mounts of its own.
mkdir "$root/proc"
# contained WORD...: becomes unshare, whose child is the entry point, as process 1, with WORDs.
cat >"$folder/contained" <<'END'
#!/bin/sh
root=$1 where=$2
shift 2
exec unshare --mount --pid --fork --kill-child --propagation private --mount-proc=/proc \
  --root="$root" --wd="$where" "$@"
END
chmod +x "$folder/contained"
# The variables have no blanks.
# shellcheck disable=SC2046
contained() {
  set -- "$folder/contained" "$root" "$where" "$entry" "$@"
  exec env -i HOME=/ $(cat "$folder/env") /bin/sh "$@"
}
code_of() { code=0; (contained "$@") >"$folder/said" 2>&1 </dev/null || code=$?; echo "$code"; }
expect() {
  wanted=$1
  shift
  code=$(code_of "$@")
  [ "$code" = "$wanted" ] || fail "$* ended with $code instead of $wanted: $(cat "$folder/said")"
}

expect 0 "$default"
grep -q '^usage: atmost' "$folder/said" || fail "no help: $(cat "$folder/said")"
expect 0 run job atmost --version
expect 75 run job atmost run -q job atmost --version
expect 0 run --if-elapsed 1h seldom exectimes /locks/slots 1 atmost --version
expect 76 run -q --if-elapsed 1h seldom atmost --version

# A command that lasts, in an image without a shell: it waits until `blocked` is resumed.
expect 0 drain --create blocked
start() {
  contained run job atmost run -q -w 1h blocked atmost --version >"$folder/job" 2>&1 </dev/null &
  started=$!
  tries=0
  until [ "$(code_of check -n 1 job)" = 75 ]; do
    kill -0 "$started" 2>/dev/null || fail "it ended: $(cat "$folder/job")"
    tries=$((tries + 1))
    [ "$tries" -lt 600 ] || fail "the slot is not taken"
  done
  first=$(ps -o pid= --ppid "$started" | tr -d ' ')
}
end_of() { code=0; wait "$1" 2>"$folder/said" || code=$?; echo "$code" >"$folder/code"; }

# Another container finds the slot taken; when the command has ended, it is free.
start
expect 75 run -q job atmost --version
expect 0 resume blocked
end_of "$started"
[ "$(cat "$folder/code")" = 0 ] || fail "it ended with $(cat "$folder/code"): $(cat "$folder/job")"
expect 0 run job atmost --version

# TERM to process 1 reaches the command, and kill -9 leaves nothing.
expect 0 drain blocked
start
kill -TERM "$first"
end_of "$started"
[ "$(cat "$folder/code")" = 143 ] || fail "TERM: it ended with $(cat "$folder/code"): $(cat "$folder/job")"
expect 0 run job atmost --version
start
kill -KILL "$first"
end_of "$started"
expect 0 run job atmost --version
expect 69 history
echo "4 files; limits, refusals, a shared folder, TERM and kill -9 of process 1"
