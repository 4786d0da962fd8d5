#!/bin/sh
# Every option of every command's --help is known to each completion. sh completions.sh
# bash|zsh|fish
set -eu
export PATH="$ATMOST_BIN:$PATH"
command -v "$1" >/dev/null || exit 125
cd "$ATMOST_SHELL/completions"
work=$(mktemp -d "${TMPDIR:-/tmp}/atmost-completions.XXXXXX")
trap 'rm -rf "$work"' EXIT

# ask COMMAND WORD: what is offered for WORD behind `atmost COMMAND`, or for a command when COMMAND
# is empty.
ask() {
  case $shell in
    bash)
      bash -c '. ./atmost.bash
        if [ -n "$1" ]; then COMP_WORDS=(atmost "$1" "$2"); else COMP_WORDS=(atmost "$2"); fi
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _atmost; printf "%s\n" "${COMPREPLY[@]}"' bash "$1" "$2"
      ;;
    zsh)
      zsh -fc 'compadd() { shift; print -rl -- "$@" }
        words=(atmost $1 "$2"); CURRENT=$#words
        complete_it() { . ./_atmost }; complete_it' zsh "$1" "$2"
      ;;
    fish)
      fish --no-config -c 'source ./atmost.fish; complete -C "$argv[1]"' "atmost ${1:+$1 }$2" | cut -f 1
      ;;
  esac
}
shell=$1

atmost --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' | sort >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 12 ]
ask '' '' | sort >"$work/offered"
diff "$work/commands" "$work/offered"
while read -r command; do
  atmost "$command" --help | grep -o '^  ....--[a-z-]*' | sed 's/.*--/--/' | sort >"$work/options"
  [ "$(wc -l <"$work/options")" -ge 5 ]
  ask "$command" -- </dev/null | sort >"$work/offered"
  diff "$work/options" "$work/offered" || { echo "$shell: atmost $command" >&2; exit 1; }
done <"$work/commands"
