#!/bin/sh
# Callers that wait for one another for ever: the last of them is refused, it alone, within seconds.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "other processes cannot be seen in a POSIX-only build"

# A hold of $1 in which a caller waits for $2 as soon as the command $3 succeeds. The caller's exit
# code is in code.$1, its message in err.$1.
cat >member <<'END'
until eval "$3"; do sleep 0.02; done
code=0
atmost run --no-history --status-fd 3 -w "${4:-inf}" "$2" true 2>"err.$1" 3>"status.$1" || code=$?
echo $code >"code.$1.new" && mv "code.$1.new" "code.$1"
END
member() {
  start atmost run --no-history "$1" sh ./member "$@"
}
ends() { # CODE NAME
  wait_until "[ -e code.$2 ]" 20
  [ "$(cat "code.$2")" = "$1" ] || fail "the caller below $2 ended with $(cat "code.$2"): $(cat "err.$2")"
}
holds() { echo '[ "$(atmost check '"$1"')" = 1 ]'; }
waits() { echo "atmost list $1 | grep -q waiting"; }
all_end() {
  for pid in $started_all; do expect_end 0 "$pid"; done
}

# Two locks.
member left right "$(holds right)"
member right left "$(waits right)"
ends 75 right
ends 0 left
all_end
expect_in err.right "atmost: busy: left: it would wait for ever, in a circle: "
expect_in err.right " holds left and waits for right"
expect_in err.right " holds right and waits for left"
expect_in err.right "; waited "
[ "$(grep -o 'sh (process [0-9]*)' err.right | sort -u | wc -l)" = 2 ] || fail "not all are named"
expect_in status.right '"reason":"circle"'
expect_line 0 err.left
rm code.*

# Three.
member one two "$(holds three)"
member two three "$(waits two)"
member three one "$(waits three)"
ends 75 three
ends 0 two
ends 0 one
all_end
for each in one two three; do expect_in err.three "holds $each and waits for "; done
rm code.*

# Two slots of one lock, of which each has a caller for a third inside.
for each in first second; do
  start atmost run --no-history -n 2 twice sh -c '
    until [ "$(atmost check twice)" = 2 ]; do sleep 0.02; done
    code=0
    env -u ATMOST_HELD atmost run --no-history -n 2 -w inf twice true || code=$?
    echo $code >"code.$1"' - $each
done
all_end
[ "$(cat code.first code.second | sort -n | tr '\n' ' ')" = "0 75 " ] || fail "not one of two was refused"
rm code.*

# A shell that waits for its jobs, and a hold that is kept for a script.
start atmost run --no-history left dash -c '
  until [ "$(atmost check right)" = 1 ]; do sleep 0.02; done
  atmost run --no-history -w inf right true & wait'
start sh -c 'atmost hold --no-history --for-pid $$ right || exit
  until atmost list right | grep -q waiting; do sleep 0.02; done
  ATMOST_HELD=x atmost run --no-history -w inf left true'
expect_end 75 "$started"
all_end

# A limit that ends it: nobody is refused.
start atmost run --no-history -q --max-runtime 3s --kill-grace 200ms left sh -c '
  until [ "$(atmost check right)" = 1 ]; do sleep 0.02; done
  atmost run --no-history -w inf right true; :'
left=$started
member right left "$(waits right)"
ends 0 right
expect_end 124 "$left"
all_end
rm code.*

# An expiry, too: the waiter takes the lock over.
start atmost run --no-history left sh -c '
  until [ "$(atmost check right)" = 1 ]; do sleep 0.02; done
  atmost run --no-history -w inf right true; :'
left=$started
start atmost run --no-history right sh -c '
  until atmost list right | grep -q waiting; do sleep 0.02; done
  atmost run --no-history -q -w inf --expire-after 3s --kill-grace 200ms left true; echo $? >code.right'
ends 0 right
expect_end 79 "$left"
all_end
