#!/bin/sh
# Each line of ours in the table "Coming from" of lock_unlock(1) behaves like the line beside it:
# with a free lock and with a held one. sh coming_from.sh MANUAL
set -eu
manual=$1
bin=$(cd "$ATMOST_BIN" && pwd)
function=$(cd "$ATMOST_SHELL" && pwd)/lock_unlock.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/atmost-from.XXXXXX")
holder=
trap '[ -z "$holder" ] || kill "$holder" 2>/dev/null; rm -rf "$work" 2>/dev/null || { sleep 1; rm -rf "$work"; }' EXIT
fail() {
  echo "FAIL: $*" >&2
  exit 1
}
# The middle column, as it is typed.
sed -n '/^\.TS/,/^\.TE/p' "$manual" | sed -e 1,/what/d -e '/^\.TE/d' | tr '\n' ' ' | sed 's/T{ //g; s/ T}//g; s/\\\[ba\]/!/g; s/\\-/-/g' |
  tr '|' '\n' | grep -oE '(lock_unlock action=|atmost run |ExecStart=).*' | sed 's/!/|/g; s/ *$//' | sort -u >"$work/lines"
cd "$work"
[ "$(wc -l <lines)" -ge 15 ] || fail "the table was not understood: $(cat lines)"
export PATH="$bin:$PATH" LOCK_UNLOCK="$function" ATMOST_DIR="$work/names" XDG_STATE_HOME="$work/state"
unset ATMOST_STORE ATMOST_HELD ATMOST_HOLD_MARK
mkdir names
printf '#!/bin/sh\nexit 7\n' >seven
chmod +x seven

# A lock that a script took ends with the script, a moment later.
until_free() {
  atmost wait -q -n 1 -w 20 "$1" || fail "not free: $1"
}
# try SCRIPT: in a shell of its own; its exit code in $code.
try() {
  code=0
  sh -c ". \"\$LOCK_UNLOCK\"; $1" 2>/dev/null || code=$?
}
held_by_another() {
  rm -f holding
  until_free "$1"
  atmost run -q --no-history "$1" sh -c ': >holding; exec sleep 1000' &
  holder=$!
  until [ -e holding ]; do sleep 0.01; done
}
let_go() {
  kill "$holder" 2>/dev/null || :
  wait "$holder" 2>/dev/null || :
  holder=
}
# waits LOCK SCRIPT CODE: does not come back as long as the lock is held.
waits() {
  rm -f ended
  (
    end=0
    sh -c ". \"\$LOCK_UNLOCK\"; $2" 2>/dev/null || end=$?
    echo "$end" >ended
  ) &
  waiting=$!
  until atmost list --json "$1" | grep -q '"state":"waiting"'; do
    [ ! -e ended ] || fail "does not wait: $2: $(cat ended)"
    sleep 0.01
  done
  let_go
  wait "$waiting"
  [ "$(cat ended)" = "$3" ] || fail "$2: $(cat ended) after the wait"
}

while read -r line; do
  lock=./f
  case $line in *NAME*) lock=n ;; esac
  script=$(printf '%s\n' "$line" | sed 's/^ExecStart=//; s/name=F/name=.\/f/; s/ F / .\/f /; s/NAME/n/; s/CMD/.\/seven/')
  free=7 busy=75
  case $line in
    'lock_unlock action=unlock name=F')
      until_free "$lock"
      try "lock_unlock action=lock name=f && $script"
      [ "$code" = 0 ] || fail "$line: $code"
      free=1 busy=1
      ;;
    'lock_unlock action=lock name=F') free=0 busy='wait' ;;
    'lock_unlock action=lock name=F expire=60') free=0 busy='wait' ;;
    'lock_unlock action=lock name=F wait=0'*) free=0 busy=1 ;;
    *' & wait') script="${script% wait} wait \$!" busy='wait' ;;
    *'--exec --on-busy=skip'*) busy=0 ;;
    *'--on-busy=replace'*) busy=7 ;;
    *'--busy-exit-code=9'*) busy=9 ;;
    *'--shared'* | *'-n 3'*) busy=7 ;;  # beside one who is in
    *'-w inf'*) busy='wait' ;;
    *'-w 5'*) script=$(printf '%s\n' "$script" | sed 's/-w 5/-w 50ms/') ;;
    'atmost run F CMD' | 'atmost run --exec F CMD' | 'ExecStart=atmost run NAME CMD' | 'atmost run -q NAME CMD ARG') ;;
    *) fail "a line that no test knows: $line" ;;
  esac
  case $line in *'-n 4'*) busy=7 ;; esac
  until_free "$lock"
  try "$script"
  [ "$code" = "$free" ] || fail "$line: $code when free, $free expected ($script)"
  held_by_another "$lock"
  if [ "$busy" = wait ]; then
    waits "$lock" "$script" "$free"
  else
    try "$script"
    [ "$code" = "$busy" ] || fail "$line: $code when busy, $busy expected ($script)"
    let_go
  fi
done <lines
echo "$(wc -l <lines) lines"
