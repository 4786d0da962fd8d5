#!/bin/sh
# The programs, as two users have them after the installation. Read by tools/try_packages.
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

# The drop-ins, and what the shells complete.
exectimes slots 1 true
sh -c '. lock_unlock.sh && lock_unlock action=lock name="$1" && lock_unlock action=unlock name="$1"' sh "$PWD/shell.lock"
for page in atmost exectimes lock_unlock lock_unlock.sh atmost-run atmost-kill atmost-pass atmost-report; do
  man "$page" >said
  [ "$(wc -l <said)" -gt 20 ]
done
man 7 atmost >said
grep -q "WHO KEEPS A SLOT" said
# shellcheck disable=SC2016
[ "$(bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader atmost; complete -p atmost')" != "" ]
zsh -fc 'autoload -Uz compinit && compinit -D -u && [[ -n ${_comps[atmost]} ]]'
fish -c 'complete -C "atmost hist"' | grep -q history
[ -s /usr/share/doc/atmost/docs/lock-map.md ]
echo "$(atmost --version), two users, manuals, completions, drop-ins"
