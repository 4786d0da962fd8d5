#!/bin/sh
# The README's table "Beside other programs": its rows are those below, and what they say of atmost,
# flock and sem is seen, with the programs themselves as far as they are installed. The witness is a
# file to which each job appends a line. The other columns are cited in docs/coming-from.md.
# compared.sh SOURCE
set -eu
source=$1
PATH=$ATMOST_BIN:$PATH
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-compared.XXXXXX")
end_jobs() { while read -r pid; do kill "$pid" 2>/dev/null || true; done <"$1"; }
trap 'end_jobs "$folder/jobs"; rm -rf "$folder"' EXIT
: >"$folder/jobs"
cd "$folder"
HOME=$folder ATMOST_DIR=$folder/locks
export HOME ATMOST_DIR
mkdir locks .parallel
: >.parallel/will-cite
fail() { echo "FAIL: $*" >&2; exit 1; }
until_seen() {  # until_seen N FILE: the file has N lines
  tries=0
  touch "$2"
  until [ "$(wc -l <"$2")" -ge "$1" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 600 ] || fail "$2 has no $1 lines"
    sleep 0.1
  done
}

sed -n '/^## Beside other programs/,/^## When/s/^| \([a-z].*\)$/\1/p' "$source/README.md" >rows
cat >wanted <<'ROWS'
at most N at a time | any N | 1 | 1 | any N | 1 | 1 |
at most once every T | yes | no | no | no | yes, while the unit is loaded | no |
a hung run is stopped | yes, all it started | no | by its next run (`run-this-one`) | no | yes, all it started | no |
waiters are served in order | yes | not promised | nobody waits | no | nobody waits | yes |
the wrapper is killed (`kill -9`) | its job keeps the lock | its job keeps the lock | its job keeps the lock | another job runs beside it | has no wrapper | another job runs beside it |
shows what runs and what waits | both | both (`lslocks`) | what runs (`lslocks`) | no | what runs | both, as keys |
history and statistics | yes | no | no | no | journal | no |
several machines | etcd, PostgreSQL, NFS | NFS | no | no | no | etcd |
ROWS
diff wanted rows >&2 || fail "the README has other rows; try what they say, here and in docs/coming-from.md"

# It lasts longer than anybody waits here: two lines are two jobs side by side.
cat >job <<'JOB'
#!/bin/sh
echo $$ >>jobs
echo $$ >>"$1"
exec sleep 300
JOB
chmod +x job
# another_after_kill FILE PROGRAM WORDS...: starts a wrapper of the job, and kills it.
another_after_kill() {
  begun=$1
  shift
  "$@" ./job "$begun" &
  wrapper=$!
  until_seen 1 "$begun"
  kill -9 "$wrapper"
  wait "$wrapper" 2>/dev/null || true
  kill -0 "$(head -n 1 "$begun")" || fail "$1: the job ended with its wrapper"
}

# atmost: two of two at a time, the third is refused; the lock outlives a killed wrapper.
atmost run -q -n 2 pair -- ./job two & atmost run -q -n 2 pair -- ./job two &
until_seen 2 two
code=0
atmost run -q -n 2 pair -- ./job two || code=$?
[ "$code" = 75 ] || fail "a third of two: $code"
atmost kill -q --kill-grace 1s pair
wait
another_after_kill kept atmost run -q one --
code=0
atmost run -q one -- ./job kept || code=$?
[ "$code" = 75 ] || fail "atmost: another job runs beside one whose wrapper was killed: $code"
atmost kill -q one
for n in 1 2 3; do atmost run -q --rate 2/1h often -- sh -c "echo $n >>often"; done || true
[ "$(cat often)" = "$(printf '1\n2')" ] || fail "atmost: --rate: $(cat often)"
seen="atmost"

if command -v flock >/dev/null; then
  flock file ./job flocked &
  until_seen 1 flocked
  code=0
  flock -n file true || code=$?
  [ "$code" = 1 ] || fail "flock: two at a time"
  if command -v lslocks >/dev/null; then
    flock file true &
    tries=0
    until lslocks -u -n -o MODE,PATH | grep -q "WRITE\* .*/file$"; do
      tries=$((tries + 1))
      [ "$tries" -lt 100 ] || fail "lslocks shows no waiter: $(lslocks)"
      sleep 0.1
    done
  fi
  end_jobs flocked
  wait || true
  another_after_kill flocked_on flock file
  code=0
  flock -n file true || code=$?
  [ "$code" = 1 ] || fail "flock: its lock ended with the wrapper"
  end_jobs flocked_on
  seen="$seen, flock"
fi

if command -v sem >/dev/null; then
  sem --fg -j 2 --id two ./job semaphore & sem --fg -j 2 --id two ./job semaphore &
  until_seen 2 semaphore
  end_jobs semaphore
  wait || true
  another_after_kill alone sem --fg -j 1 --id one
  sem --fg -j 1 --id one ./job alone &
  until_seen 2 alone
  kill -0 "$(head -n 1 alone)" || fail "sem: the first job had ended"
  end_jobs alone
  wait || true
  seen="$seen, sem"
fi
echo "compared: 8 rows; tried with $seen"
