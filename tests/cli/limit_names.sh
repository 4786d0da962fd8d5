#!/bin/sh
# Names of slots: N is their number, slot s has name s, and --env gives them to the command.
. "$(dirname "$0")/lib.sh"

expect_code 0 atmost limit gpu --names GPU-a,GPU-b,GPU-c
expect_code 0 atmost limit gpu
expect_in out "gpu: 3, names GPU-a,GPU-b,GPU-c"
start atmost run gpu sleep 60
wait_until '[ "$(atmost check gpu)" = 1 ]'
expect_code 0 atmost run --env CARD=name --env CARDS=names -k 2 gpu sh -c 'echo "$CARD $CARDS"'
expect_in out "GPU-b GPU-b,GPU-c"
expect_code 0 atmost run --exec --env CARD=name gpu sh -c 'echo "$CARD"'
expect_in out "GPU-b"

printf 'seat one\n' >file
expect_code 64 atmost limit gpu --names @file
expect_in err "neither a blank nor a comma"
printf '/dev/ttyUSB0\n/dev/ttyUSB1\n' >file
expect_code 0 atmost limit board --names @file
expect_code 0 atmost run --env PORT=name board sh -c 'echo "$PORT"'
expect_in out "/dev/ttyUSB0"

expect_code 64 atmost limit gpu 4
expect_in err "4 slots, and 3 names: give --names with one for each"
expect_code 64 atmost limit gpu --names a,a
expect_in err "each name once"
expect_code 64 atmost limit gpu --names @missing
expect_in err "--names: missing: No such file or directory"
expect_code 0 atmost limit gpu
expect_in out "gpu: 3, names GPU-a,GPU-b,GPU-c"

# A lock without names has none to give, and no command is started without its card.
expect_code 64 atmost run --env CARD=name other touch started
expect_in err "--env: its slots have no names"
[ ! -e started ] || fail "the command was started"
