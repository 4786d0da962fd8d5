# shellcheck shell=bash
# Completion of atmost for bash. `atmost completion` knows what there is to complete.
_atmost() {
  local words=() starts=() at word cut
  COMPREPLY=()
  # readline splits at = and colon; atmost does not.
  for ((at = 1; at <= COMP_CWORD; at++)); do
    word=${COMP_WORDS[at]}
    if ((${#words[@]} > 0)) && [[ $word == [=:] || ${COMP_WORDS[at - 1]} == [=:] ]]; then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word") starts+=("$at")
    fi
  done
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" completion "${words[@]}" 2>/dev/null | cut -f 1)
  word=${words[${#words[@]} - 1]}
  case ${COMPREPLY[0]-} in
    ":command "*)
      at=${starts[${COMPREPLY[0]#:command } - 1]}
      COMPREPLY=()
      if declare -F _command_offset >/dev/null; then _command_offset "$at"; fi
      ;;
    :files) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    :directories) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    *)
      cut=${word%"${word##*[=:]}"}
      COMPREPLY=("${COMPREPLY[@]#"$cut"}")
      ;;
  esac
}
complete -o filenames -F _atmost atmost
