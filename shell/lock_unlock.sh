# shellcheck shell=sh disable=SC3013  # test -ef: all seven shells have it
# lock_unlock: a lock for the script that calls it. lock_unlock(1) describes it in full.
#
#   . lock_unlock.sh
#   lock_unlock action=lock name=PATH [wait=SECONDS] [expire=SECONDS] [until=tree] [mode=OCTAL]
#       [id=TEXT]
#                                         0: held, 1: not
#   lock_unlock action=unlock name=PATH   0: freed, 1: was not held
#
# Without wait it waits for ever, without expire it never expires. Other users can share a lock file
# that was made with mode=666 (or $LOCK_UNLOCK_MODE). Unlocking is optional: the lock ends with the
# script, however that ends. Starts atmost ($ATMOST, else the one in PATH) at most once a call;
# unlocking, and locking the same again, asks the keeper that runs (atmost-hold(1)). Evaluates no
# text, sets no trap, and no variable but lock_unlock_*. With until=tree it exports
# ATMOST_HOLD_MARK and opens one descriptor, the first of 9 to 3 that is free. Its other functions
# are lock_unlock_*, too.
#
# For every POSIX shell, set -eu or not. As a file named lock_unlock in FPATH it is loaded when
# first called.
#
# Short functions, for speed: bash copies the whole body of a function at each call, and looks for a
# suffix much faster than for what begins with *. The words are kept in the positional parameters,
# where a trap that runs in between and also locks does not change them.
lock_unlock() {
  case $#:${1-}:${2-} in
    2:action=lock:name=/*) lock_unlock_do lock "${2#name=}" inf inf main "${LOCK_UNLOCK_MODE-}" '' ;;
    2:action=unlock:name=/*) lock_unlock_do unlock "${2#name=}" inf inf main '' '' ;;
    *) lock_unlock_words "$@" ;;
  esac
}

# From here on: action, name, wait, expire, until, mode, id.
lock_unlock_do() {
  case ${lock_unlock_keeper-} in
    ?*) ! lock_unlock_ask "$@" "$lock_unlock_keeper" || return 0 ;;
  esac
  case $1$5 in
    lockmain) lock_unlock_hold "$@" ;;
    locktree)
      lock_unlock_mark
      lock_unlock_hold "$@"
      ;;
    lock*) lock_unlock_hold "$@" ;;
    *) "${ATMOST:-atmost}" release --quiet --for-pid "$$" -- "$2" || return 1 ;;
  esac
}

# Behind the placeholder in the here-document atmost puts "NAME PID" of a keeper that can be asked.
# It is kept in front of the words that it was started for. A name with a blank or > in it could be
# mistaken for another one.
lock_unlock_hold() {
  {
    read -r lock_unlock_answer || :
    "${ATMOST:-atmost}" hold --keeper-to /dev/stdin --quiet --no-history --for-pid "$$" --wait "$3" --expire-after "$4" \
      --until "$5" ${6:+"--mode=$6"} --id "$7" -- "$2" || return 1
    lock_unlock_keeper=
    read -r lock_unlock_answer || return 0
  } <<END
-
END
  case $PWD$2$3$4$5$6$7 in
    *[\ \>]*) ;;
    *) lock_unlock_keeper="$lock_unlock_answer>$$ $PWD $2 $3 $4 $5 $6 $7" ;;
  esac
}

# The keeper that was started last (the eighth argument), if it is one for these words, is asked for
# u (unlock) or l (lock the same again), and another one for q (end, if you hold nothing). Not from
# a subshell: two would get each other's answers. The pipes of a later process with its number are
# not opened: it is another user's, or has no such pipes.
lock_unlock_ask() {
  set -- "$@" "${8%%>*}"
  case $1:${8#"$9"} in
    lock:">$$ $PWD $2 $3 $4 $5 $6 $7") set -- "l $9" "/proc/${9#* }" ;;
    unlock:">$$ $PWD $2 "*) set -- "u $9" "/proc/${9#* }" ;;
    lock:">$$ "*) set -- "q $9" "/proc/${9#* }" ;;
    *) return 1 ;;
  esac
  [ /proc/self -ef "/proc/$$" ] && [ -O "$2" ] && [ "$2/fd/100" -ef "$2/fd/102" ] &&
    { { echo "$1" 1<>"$2/fd/100" && read -r lock_unlock_answer; } <"$2/fd/101"; } 2>/dev/null
}

# This mark identifies the processes that the script starts from now on, after it has ended: those
# that run a program by the variable, and subshells, whose environment is not new, by a descriptor
# that they inherit.
lock_unlock_mark() {
  case :${ATMOST_HOLD_MARK-}: in
    *:"$$":*) ;;
    *) export ATMOST_HOLD_MARK="${ATMOST_HOLD_MARK:+$ATMOST_HOLD_MARK:}$$" ;;
  esac
  for lock_unlock_fd in 9 8 7 6 5 4 3; do
    [ ! "/proc/self/fd/$lock_unlock_fd" -ef "/proc/$$/limits" ] || return 0
  done
  [ -r "/proc/$$/limits" ] || return 0
  for lock_unlock_fd in 9 8 7 6 5 4 3; do
    [ -e "/proc/self/fd/$lock_unlock_fd" ] || break
  done
  case $lock_unlock_fd in
    9) exec 9<"/proc/$$/limits" ;;
    8) exec 8<"/proc/$$/limits" ;;
    7) exec 7<"/proc/$$/limits" ;;
    6) exec 6<"/proc/$$/limits" ;;
    5) exec 5<"/proc/$$/limits" ;;
    4) exec 4<"/proc/$$/limits" ;;
    3) [ -e /proc/self/fd/3 ] || exec 3<"/proc/$$/limits" ;;
  esac
}

# Any words in any order.
lock_unlock_words() {
  set -- "$@" "lock_unlock_word=${lock_unlock_word-}"  # which is left as it was found
  for lock_unlock_word in '' "$@"; do
    case $lock_unlock_word in
      '') set -- '' '' inf inf main "${LOCK_UNLOCK_MODE-}" '' ;;
      action=*) set -- "${lock_unlock_word#action=}" "$2" "$3" "$4" "$5" "$6" "$7" ;;
      name=/*) set -- "$1" "${lock_unlock_word#name=}" "$3" "$4" "$5" "$6" "$7" ;;
      name=?*) set -- "$1" "./${lock_unlock_word#name=}" "$3" "$4" "$5" "$6" "$7" ;;
      name=) set -- "$1" '' "$3" "$4" "$5" "$6" "$7" ;;
      wait=*) set -- "$1" "$2" "${lock_unlock_word#wait=}" "$4" "$5" "$6" "$7" ;;
      expire=*) set -- "$1" "$2" "$3" "${lock_unlock_word#expire=}" "$5" "$6" "$7" ;;
      until=*) set -- "$1" "$2" "$3" "$4" "${lock_unlock_word#until=}" "$6" "$7" ;;
      mode=*) set -- "$1" "$2" "$3" "$4" "$5" "${lock_unlock_word#mode=}" "$7" ;;
      id=*) set -- "$1" "$2" "$3" "$4" "$5" "$6" "${lock_unlock_word#id=}" ;;
      lock_unlock_word=*) lock_unlock_word=${lock_unlock_word#*=} ;;
      *)
        printf '%s\n' "lock_unlock: $lock_unlock_word: use action= name= wait= expire= until= mode= id=" >&2
        return 1
        ;;
    esac
  done
  case $1:$2 in
    lock:?* | unlock:?*) lock_unlock_do "$@" ;;
    *:)
      echo 'lock_unlock: name= is missing: use name=PATH' >&2
      return 1
      ;;
    *)
      printf '%s\n' "lock_unlock: action=$1: use action=lock or action=unlock" >&2
      return 1
      ;;
  esac
}

# If zsh autoloads it, this file as a whole is the function's first call.
case ${ZSH_EVAL_CONTEXT-} in
  *:loadautofunc) lock_unlock "$@" ;;
esac
