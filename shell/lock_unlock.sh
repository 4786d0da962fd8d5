# lock_unlock: a lock for the script that calls it. lock_unlock(1) has the whole story.
#
#   . lock_unlock.sh
#   lock_unlock action=lock name=PATH [wait=SECONDS] [expire=SECONDS] [until=tree] [id=TEXT]   0: held, 1: not
#   lock_unlock action=unlock name=PATH                                                        0: freed, 1: was not held
#
# Without wait it waits for ever, without expire it never expires. Unlocking is optional: the lock ends with the script,
# however that ends. Runs atmost ($ATMOST, else as PATH has it), one process for each call. Evaluates no text, sets no
# trap, opens no descriptor, and no variable but lock_unlock_word and, with until=tree, ATMOST_HOLD_MARK (exported).
#
# For every POSIX shell, set -eu or not. As a file named lock_unlock in FPATH it is loaded when first called.
lock_unlock() {
  for lock_unlock_word in "$@"; do
    case $lock_unlock_word in
      until=tree)
        # What the script starts from now on is known by this mark when the script has ended.
        case :${ATMOST_HOLD_MARK-}: in
          *:"$$":*) ;;
          *) ATMOST_HOLD_MARK=${ATMOST_HOLD_MARK:+$ATMOST_HOLD_MARK:}$$ ;;
        esac
        export ATMOST_HOLD_MARK
        ;;
    esac
  done
  unset lock_unlock_word
  # The subshell keeps the variables, and becomes the one process that has to be started.
  (
    action= name= wait=inf expire=inf until=main id=
    for word in "$@"; do
      case $word in
        action=*) action=${word#action=} ;;
        name=*) name=${word#name=} ;;
        wait=*) wait=${word#wait=} ;;
        expire=*) expire=${word#expire=} ;;
        until=*) until=${word#until=} ;;
        id=*) id=${word#id=} ;;
        *)
          printf '%s\n' "lock_unlock: $word: use action= name= wait= expire= until= id=" >&2
          exit 1
          ;;
      esac
    done
    case $name in
      '')
        printf '%s\n' 'lock_unlock: name= is missing: use name=PATH' >&2
        exit 1
        ;;
      /*) ;;
      *) name=./$name ;;
    esac
    case $action in
      lock)
        exec "${ATMOST:-atmost}" hold --quiet --no-history --for-pid "$$" --wait "$wait" --expire-after "$expire" \
          --until "$until" --id "$id" -- "$name"
        ;;
      unlock) exec "${ATMOST:-atmost}" release --quiet --for-pid "$$" -- "$name" ;;
    esac
    printf '%s\n' "lock_unlock: action=$action: use action=lock or action=unlock" >&2
    exit 1
  ) || return 1
}
