#!/bin/sh
# A stand-in for old scripts with symlink locks, written from the description of their function; it
# looks every few milliseconds instead of every three seconds, and keeps the race between finding a
# link and moving its name.
#
#   old_lock_unlock.sh LOCK TRIES TTL COMMAND [ARG]...
#
# Takes LOCK for itself, TRIES looks at most, runs COMMAND, removes LOCK. 1: it did not get it.
set -u
lock=$1 tries=$2 ttl=$3
shift 3

# user.group.parent.group-leader, from ps
identity() {
  LC_ALL=C ps -o user= -o group= -o ppid= -o pgid= -p "$1" 2>/dev/null | {
    read -r user group parent leader || :
    echo "$user.$group.$parent.$leader"
  }
}

# Sets inode, pid, made, life and who from one look at the link; false if there is none.
read_lock() {
  seen=$(LC_ALL=C ls -il "$lock" 2>/dev/null) || return 1
  case $seen in *' -> '*) ;; *) return 1 ;; esac
  inode=${seen%% [lrwx]*} fields=${seen#*' -> '}
  inode=${inode##* }
  pid='' made='' life='' who=''
  for field in $fields; do
    case $field in
      pid=*) pid=${field#*=} ;;
      time=*) made=${field#*=} ;;
      ttl=*) life=${field#*=} ;;
      psid=*) who=${field#*=} ;;
    esac
  done
  [ -n "$pid" ]
}

stale() {
  ps -p "$pid" >/dev/null 2>&1 || return 0
  [ "$(identity "$pid")" = "$who" ] || return 0
  [ "$(date +%s)" -ge $((made + life)) ]
}

count=0
until ln -s "pid=$$ time=$(date +%s) ttl=$ttl psid=$(identity $$) id=old" "$lock" 2>/dev/null; do
  count=$((count + 1))
  [ $count -le "$tries" ] || exit 1
  if read_lock && stale; then
    find "$lock" -inum "$inode" -exec mv -f {} "$lock.$$.$count" \; 2>/dev/null
  fi
  sleep 0.02
done
trap 'rm -f "$lock"' EXIT
for moved in "$lock".[0-9]*.[0-9]*; do
  case ${moved#"$lock".} in *[!0-9.]* | *.*.*) ;; *) rm -f "$moved" ;; esac
done
"$@"
