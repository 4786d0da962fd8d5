#!/bin/sh
# output, notify, ping and alert_after in a pass file: like the options of run; their programs run
# as the atom's user, with its groups and in its directory.
server=$(cd "$(dirname "$0")" && pwd)/ping_server.py
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "POSIX alone cannot free the middle of a file"
[ -x "$ATMOST_BIN/../libexec/atmost/atmost-pass" ] || skip "built without toml++"
unset ATMOST_PING
export no_proxy='*'
start python3 "$server" port log
wait_until '[ -s port ]'

cat >jobs.toml <<TOML
[defaults]
output = "on-failure"

[[atom]]
operator = "works"
operand = "1"
command = ["echo", "quiet"]
ping = "http://127.0.0.1:$(cat port)/ok/secret"

[[atom]]
operator = "fails"
operand = "1"
command = ["sh", "-c", "echo loud; exit 3"]
notify = "cat >event; echo \"\$ATMOST_EVENT \$ATMOST_LOCK\" >told.new; mv told.new told"
notify_on = ["failure"]
ping = "http://127.0.0.1:$(cat port)/404/secret"
TOML
got=0
atmost pass jobs.toml >out 2>err || got=$?
[ "$got" = 1 ] || fail "ended with $got"
cat out err >said
expect_in said loud
! grep -q 'quiet$' said || fail "$(cat said)"
wait_until '[ -e told ] && [ "$(wc -l <log)" -ge 4 ]'
expect_in told 'failure fails:1'
grep -q '/ok/secret/0' log && grep -q '/404/secret/3' log || fail "$(cat log)"
wait_until '[ "$(atmost history --json --event undelivered fails:1 | wc -l)" = 2 ]'
! grep -q secret said || fail "$(cat said)"

cat >wrong.toml <<'TOML'
[[atom]]
operator = "a"
operand = "b"
command = ["true"]
output = "sometimes"
output_max = "little"
notify_on = ["failure", "never"]
ping = "ftp://secret"
TOML
expect_code 78 atmost pass wrong.toml
for words in 'wrong.toml:5:10: output: "sometimes" is none of show' 'output_max: "little" is not a size' \
  'notify_on: "never" is none of failure' 'ping: is not a URL of http or https'; do
  expect_in err "$words"
done
! grep -q secret err || fail "$(cat err)"

[ "$(id -u)" = 0 ] && id nobody >/dev/null 2>&1 || exit 0
su nobody -s /bin/sh -c "test -x $ATMOST_BIN/../libexec/atmost/atmost-tell" 2>/dev/null || exit 0
# The user nobody cannot write the history, yet it has the undelivered message.
chmod 755 .
mkdir -m 777 place
cat >user.toml <<TOML
[[atom]]
operator = "other"
operand = "user"
user = "nobody"
directory = "$PWD/place"
command = ["false"]
notify = "id -un >who.new; id -G >>who.new; mv who.new who; exit 5"
ping = "http://127.0.0.1:1/secret"
TOML
chmod 600 user.toml
got=0
atmost pass user.toml >out 2>err || got=$?
[ "$got" = 1 ] || fail "ended with $got: $(cat out err)"
wait_until '[ -e place/who ]'
[ "$(cat place/who)" = "nobody
$(id -G nobody)" ] || fail "$(cat place/who)"
wait_until 'atmost history other:user | grep -q "undelivered.*notify: the command exited with 5"' 30
wait_until '[ "$(atmost history --json --event undelivered other:user | grep -c "\"to\":\"ping\"")" = 2 ]' 30
