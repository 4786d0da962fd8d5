#!/bin/sh
# The programs, in the hands of two users after the installation. Read by tools/try_packages.
set -eu
cd "$(mktemp -d)"
ATMOST_DIR=$PWD/locks
export ATMOST_DIR
mkdir locks

atmost run -n 1 job -- sh -c 'atmost run -q job -- true; echo $?' >refused
[ "$(cat refused)" = 75 ]
atmost history --json job >events
[ "$(wc -l <events)" -ge 3 ]
atmost doctor >said
atmost explain job >said
atmost run --if-elapsed 1h seldom -- true
code=0
atmost run -q --if-elapsed 1h seldom -- true || code=$?
[ "$code" = 76 ]

# Two users: each has locks of its own, and what one made is not the other's.
for user in one two; do
  su "$user" -c "unset ATMOST_DIR; cd; atmost run mine -- true; atmost list"
done
su one -c "unset ATMOST_DIR; atmost run --mode 666 /tmp/shared.lock -- true"
su two -c "unset ATMOST_DIR; atmost run /tmp/shared.lock -- true"

# kill -9 of all that holds a lock frees it.
mkfifo ready
sh -c 'echo $$ >pid; exec atmost run --exec job -- sh -c "echo in >ready; exec sleep 3600"' &
read -r _ <ready
kill -9 "$(cat pid)"
wait $! || :
atmost run job -- true

# The drop-ins and the manuals.
exectimes slots 1 true
sh -c '. lock_unlock.sh && lock_unlock action=lock name="$1" && lock_unlock action=unlock name="$1"' sh "$PWD/shell.lock"
for page in atmost exectimes lock_unlock lock_unlock.sh atmost-run atmost-kill atmost-pass atmost-report; do
  man "$page" >said
  [ "$(wc -l <said)" -gt 20 ]
done
man 7 atmost >said
grep -q "WHO KEEPS A SLOT" said

# The shells find the completions by themselves, and what they find completes.
# shellcheck disable=SC2016
[ "$(bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader atmost; complete -p atmost')" != "" ]
zsh -fc 'autoload -Uz compinit && compinit -D -u && [[ -n ${_comps[atmost]} ]]'
fish -c 'complete -C "atmost hist"' | grep -q history
mkdir -p shell/completions
ln -s /usr/share/bash-completion/completions/atmost shell/completions/atmost.bash
ln -s /usr/share/zsh/vendor-completions/_atmost shell/completions/_atmost
ln -s /usr/share/fish/vendor_completions.d/atmost.fish shell/completions/atmost.fish
for shell in bash zsh fish; do
  ATMOST_BIN=/usr/bin ATMOST_SHELL=$PWD/shell sh /trial/tests/shell/completions.sh "$shell"
done

# Every program has its libraries; stores of fleets are there, and report that no server is.
for program in /usr/libexec/atmost/*; do
  case $(ldd "$program" 2>&1) in *'not found'*) ldd "$program"; exit 1 ;; esac
done
for store in etcd postgres; do
  code=0
  atmost list --store "$store://127.0.0.1:1/x" job >said 2>&1 || code=$?
  [ "$code" = 69 ]
  if grep -q 'not installed' said; then exit 1; fi
done
# So is the store in a directory: it reports that no other machine sees this one.
shared="shared:$PWD/locks"
words="locks: is on a filesystem of this machine"
printf '[[atom]]\noperator = "job"\noperand = "x"\ncommand = ["touch", "ran"]\n' >atoms
refused_there() {
  expected=$1
  shift
  code=0
  "$@" >said 2>&1 || code=$?
  [ "$code" = "$expected" ] && grep -qF "$words" said && [ ! -e ran ] || { echo "$code: $*"; cat said; exit 1; }
}
refused_there 74 atmost run --store "$shared" job -- touch ran
refused_there 1 atmost pass --store "$shared" atoms
refused_there 74 atmost doctor "$shared"

# A machine without systemctl: the units are useless there, but harmless.
if command -v systemctl; then exit 1; fi
[ -s /lib/systemd/system/atmost-pass.timer ]

# The targets of the documents' links are installed beside them.
(cd /usr/share/doc/atmost && for page in README.md docs/*.md; do
  grep -o ']([^)#[:blank:]]*' "$page" | cut -c 3- | while read -r link; do
    case $link in '' | *://*) continue ;; esac
    [ -e "$(dirname "$page")/$link" ] || { echo "$page links to $link"; exit 1; }
  done || exit 1
done)
[ -s /usr/share/doc/atmost/docs/start.md ]
[ -s /usr/share/atmost/pass.schema.json ]
echo "$(atmost --version), two users, manuals, completions, drop-ins"
