#!/bin/sh
# Each completion has every option of every command's --help (of run, --help-all), the values of
# options, the named locks, and where the command's own command line begins. sh completions.sh
# bash|zsh|fish
set -eu
export PATH="$ATMOST_BIN:$PATH"
command -v "$1" >/dev/null || exit 125
cd "$ATMOST_SHELL/completions"
work=$(mktemp -d "${TMPDIR:-/tmp}/atmost-completions.XXXXXX")
trap 'rm -rf "$work"' EXIT

# ask COMMAND WORD: the offers for WORD behind `atmost COMMAND`, or for a command if COMMAND is
# empty.
ask() {
  case $shell in
    bash)
      # shellcheck disable=SC2016
      bash -c '. ./atmost.bash
        _command_offset() { COMPREPLY=("command ${COMP_WORDS[*]:$1}, word $((COMP_CWORD - $1 + 1))"); }
        COMP_WORDS=(atmost $1 "$2")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _atmost; printf "%s\n" "${COMPREPLY[@]}"' bash "$1" "$2"
      ;;
    zsh)
      zsh -fc 'compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -rl -- "$@" }
        _normal() { print -r -- "command $words, word $CURRENT" }
        words=(atmost ${=1} "$2"); CURRENT=$#words
        complete_it() { . ./_atmost }; complete_it' zsh "$1" "$2"
      ;;
    fish)
      fish --no-config -c 'source ./atmost.fish; complete -C "$argv[1]"' "atmost ${1:+$1 }$2" | cut -f 1
      ;;
  esac
}
shell=$1

atmost --help-all | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' | sort >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 12 ]
ask '' '' | sort >"$work/offered"
diff "$work/commands" "$work/offered"
while read -r command; do
  [ "$command" != help ] || continue
  all=--help
  [ "$command" != run ] || all=--help-all
  atmost "$command" "$all" | grep -o '^  ....--[a-z-]*' | sed 's/.*--/--/' | sort >"$work/options"
  [ "$(wc -l <"$work/options")" -ge 5 ]
  ask "$command" -- </dev/null | sort >"$work/offered"
  diff "$work/options" "$work/offered" || { echo "$shell: atmost $command" >&2; exit 1; }
done <"$work/commands"

# Completions of LOCK, and of the value of an option.
export ATMOST_DIR="$work/locks"
mkdir "$ATMOST_DIR"
for lock in encoder enough gpu copy:/etc/motd; do atmost run --no-history "$lock" true; done
offers() {
  ask "$1" "$2" </dev/null | sort | tr '\n' ' ' >"$work/offered"
  [ "$(cat "$work/offered")" = "$3 " ] || { echo "$shell: atmost $1 $2: $(cat "$work/offered"), not $3" >&2; exit 1; }
}
offers run en 'encoder enough'
offers 'run -n 4 --env X=slot' g gpu
offers 'kill --slot 2' gp gpu
[ "$shell" = bash ] || offers kill copy:/e copy:/etc/motd # bash gives it in three words
offers 'run --on-busy' '' 'fail join replace skip supersede'
offers 'run --elapsed-from' s 'start success'
offers 'history --outcome' fail failure
offers 'jobs --since' '' 'today yesterday'
offers 'run --max-runtime' '' auto
case $shell in
  fish)
    offers run --on-busy=sk --on-busy=skip
    offers 'run encoder atmost' lis list # the command's own completion
    offers 'run -w 5 encoder -- atmost run --on-busy' sk skip
    ;;
  *)
    offers 'run encoder tool' fo 'command tool fo, word 2'
    offers 'run -w 5 encoder -- tool sub' fo 'command tool sub fo, word 3'
    ;;
esac
# Nothing was run or made in the meantime.
[ "$(find "$ATMOST_DIR" -name '*.lock' | wc -l)" = 4 ]
