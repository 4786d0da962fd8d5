#!/bin/sh
# Stopping a job is never silent (but with -q): the taker reports it in one line, without a
# terminal too, and so does the stopped command's supervisor, which ends with 79.
# Option and value of $grace are two words; "stopping" is an event and a file.
# shellcheck disable=SC2086,SC2094
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "nobody can be taken over from"

# hold NAME OPTION... LOCK: a holder of LOCK that ends at the first TERM (a shell's background jobs
# ignore INT); its messages go to NAME.err, its outcome to NAME.status.
hold() {
  name=$1
  shift
  start sh -c 'file=$1; shift; exec "$@" 2>"$file.err" 5>"$file.status"' sh "$name" \
    atmost run --status-fd 5 --kill-grace 300ms "$@" -- sh -c 'echo >up; exec sleep 600'
  wait_until '[ -e up ]'
  rm up
}
grace='--kill-grace 300ms'

# Overdue.
hold overdue --id nightly job
holder=$started
expect_code 0 atmost run $grace --expire-after 1ms job -- sh -c 'echo $PPID >taker'
expect_end 79 "$holder"
expect_line 1 err
expect_in err "atmost: job: stopped process $holder (sh \"nightly\"), which had held slot 1 for "
expect_in err ' longer than 1ms (--expire-after): it ended by SIGTERM'
expect_line 1 overdue.err
expect_in overdue.err 'atmost: job: the command was stopped after '
expect_in overdue.err ": taken over by process $(cat taker)"
expect_in overdue.status '"code":79,'
expect_in overdue.status '"signal":15,'
expect_in overdue.status '"reason":"taken_over"}'
atmost history --json --event ended job >ended
expect_in ended "\"pid\":$holder,\"uid\":$(id -u),\"id\":\"nightly\",\"command\":\"sh\",\"signal\":\"TERM\",\"stopped\":\"taken_over\""

# --on-busy=skip and --alert-after are silent about refusals, not about this.
hold skipped job
expect_code 0 atmost run $grace --on-busy=skip --alert-after 9 --expire-after 1ms job -- true
expect_line 1 err
expect_in err ' (--expire-after): it ended by SIGTERM'
expect_end 79 "$started"

# -q is silent about both.
hold quiet -q job
expect_code 0 atmost run -q $grace --expire-after 1ms job -- true
expect_line 0 err
expect_end 79 "$started"
expect_line 0 quiet.err

# As JSON.
hold json --json job
expect_code 0 atmost run --json $grace --expire-after 1ms job -- true
expect_in err "{\"kind\":\"stopped_holder\",\"lock\":\"job\",\"slot\":1,\"pid\":$started,\"command\":\"sh\",\"id\":\"\",\"held_s\":"
expect_in err '"why":"overdue","limit_s":0.001,"signal":"TERM"}'
expect_end 79 "$started"
expect_in json.err '"reason":"taken_over"}'

# Replaced: no limit was overstepped, and none is named.
hold replaced job
expect_code 0 atmost run $grace --on-busy=replace job -- true
expect_line 1 err
expect_in err ', as --on-busy=replace says: it ended by SIGTERM'
expect_end 79 "$started"
expect_in replaced.err ': taken over by process '
atmost history --json --event stopping job >stopping
expect_line 1 stopping
expect_in stopping "\"why\":\"replace\",\"holder_pid\":$started,"
if grep -q expire_after stopping; then fail "a limit: $(cat stopping)"; fi

# Stopped by atmost kill, which names itself.
hold killed other
expect_code 0 atmost kill $grace other
expect_line 1 err
expect_in err "atmost: other: stopped process $started (sh), which had held slot 1 for "
expect_in err ', by atmost kill: it ended by SIGTERM'
expect_end 79 "$started"
expect_in killed.err ': killed by atmost kill, process '
expect_in killed.status '"reason":"killed"}'
atmost history --json other >told
expect_in told '"event":"stopping"'
expect_in told "\"why\":\"kill\",\"holder_pid\":$started,"
expect_in told '"stopped":"killed"'
if grep -q '"event":"expired"\|"event":"lost"' told; then fail "it was not overdue: $(cat told)"; fi
expect_code 0 atmost history other
expect_in out 'stopped by atmost kill'

# Without a supervisor only the taker can report it: the signal's code stands.
start atmost run --exec job -- sh -c 'trap "exit 5" TERM; echo >up; while :; do sleep 0.05; done'
wait_until '[ -e up ]'
expect_code 0 atmost run $grace --expire-after 1ms job -- true
expect_end 5 "$started"
expect_in err ': it ended by SIGTERM'

# A command that fails by itself while nobody is stopping it keeps its own code.
expect_code 3 atmost run --expire-after 1ms job -- sh -c 'exit 3'

# The message calls a learned limit learned.
rm -f up
i=0
while [ $i -lt 9 ]; do
  atmost run learned true
  i=$((i + 1))
done
hold learned --no-learn learned
wait_until 'atmost run $grace --expire-after auto --auto-min 1ms --auto-max 90ms learned true 2>err'
expect_line 1 err
expect_in err ' (--expire-after auto, learned from 9 runs, nearly all up to '
expect_in err 'see: atmost tune learned)'
expect_end 79 "$started"
