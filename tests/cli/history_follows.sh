#!/bin/sh
# atmost history -f goes on across a rotation by renaming, by truncation, and from before there is a
# log.
. "$(dirname "$0")/lib.sh"

start atmost history -f -q --json job >followed
seen() { [ "$(grep -c "\"id\":\"$1\"" followed)" = 2 ]; }
for id in one two three; do atmost run --id $id job -- true; done
wait_until 'seen three'
mv locks/history.jsonl locks/history.jsonl.1
for id in four five; do atmost run --id $id job -- true; done
wait_until 'seen five'
: >locks/history.jsonl
atmost run --id six job -- true
wait_until 'seen six'
for id in one two three four five six; do seen $id || fail "$id was not followed: $(cat followed)"; done
expect_line 12 followed
