#!/bin/sh
# The test of the documents' examples passes good ones and sees what is wrong with others.
set -eu
program=$1 source=$2
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-docs-fail.XXXXXX")
trap 'rm -rf "$folder"' EXIT

# One block, from standard input, is the document; messages name it by its first line.
document() {
  { printf 'Text.\n\n' && sed 's/^/    /' && printf '\nText.\n'; } >"$folder/document.md"
}
good() {
  document
  "$program" "$source" "$folder/document.md" >"$folder/said" 2>&1 || {
    cat "$folder/document.md" "$folder/said" >&2
    exit 1
  }
}
bad() {
  document
  if "$program" "$source" "$folder/document.md" >"$folder/said" 2>&1; then
    echo "not seen as wrong:" >&2
    cat "$folder/document.md" >&2
    exit 1
  fi
  grep -q 'document.md:3: ' "$folder/said"  # where it is
}

echo 'atmost run -n 4 job -- some-job --with /srv/this   what it is good for' | good
echo '0 3 * * 1  root  atmost run nightly -- /usr/local/bin/nightly' | good
echo 'atmost run --no-such-option job -- true' | bad
echo 'atmsot run job -- true' | bad
echo 'atmost rnu job -- true' | bad
echo 'a sentence that was never meant to be a command' | bad
echo 'make no-such-target' | bad
echo 'atmost run job -- false' | bad
echo 'atmost run job -- sh -c "' | bad
echo 'atmost run --store etcd:/etcd1/x job -- true' | bad
echo 'export ATMOST_STORE=postgres://user:secret@db/ops' | bad
echo 'ATMOST_NO_SUCH_VARIABLE=1' | bad
printf '[[atom]]\noperator = "a"\noperand = "b"\ncommand = ["c"]\n' | good
printf '[[atom]]\noperator = "a"\noperand = "b"\nno_such_key = 1\ncommand = ["c"]\n' | bad
printf '#include <atmost/atom.h>\nint main() { return atmost::Named("x").get_lock({}).answer(); }\n' | good
printf '#include <atmost/atom.h>\nint main() { return atmost::Named("x").get_lock(1).answer(); }\n' | bad
echo '{"v":1,"event":"nothing"' | bad
