# shellcheck shell=bash
# Completion of atmost for bash. What there is to complete is what --help of the program itself
# lists.
_atmost() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[0]} at
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$("$command" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')" -- "$word")
    return
  fi
  # Behind LOCK, and its "--", a whole command line follows.
  for ((at = 2; at < COMP_CWORD; at++)); do
    if [[ ${COMP_WORDS[1]} == run && ${COMP_WORDS[at]} == -- ]] && declare -F _command_offset >/dev/null; then
      _command_offset $((at + 1))
      return
    fi
  done
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$command" "${COMP_WORDS[1]}" --help 2>/dev/null |
      sed -n 's/^  ....\(--[a-z][a-z-]*\).*/\1/p')" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _atmost atmost
