#!/bin/sh
# Two members of a group, a stranger and root share the directory of examples/shared-locks, set up
# by its instructions; then some of them plant files in lock directories. Read by
# tools/try_packages. needs: systemd-standalone-sysusers systemd-standalone-tmpfiles
set -eu
there=$(mktemp -d)
chmod 755 "$there"
cd "$there"
fail() { echo "users: $*"; cat "$there/said"; ls -la "$there" "$shared" 2>/dev/null; exit 1; }
shared=/var/lib/atmost-shared
: >said
mkdir -p /etc/sysusers.d /etc/tmpfiles.d
cp /usr/share/doc/atmost/examples/shared-locks/sysusers.conf /etc/sysusers.d/atmost.conf
cp /usr/share/doc/atmost/examples/shared-locks/tmpfiles.conf /etc/tmpfiles.d/atmost.conf
systemd-sysusers
systemd-tmpfiles --create
[ "$(stat -c %a:%U:%G "$shared")" = 2770:root:atmost ] || fail "another directory"
useradd -m three
for user in one two; do usermod -a -G atmost "$user"; done

# as USER COMMAND...: becomes it, in the shared directory. expect CODES COMMAND...
as() {
  user=$1
  shift
  setpriv --reuid "$user" --regid "$user" --init-groups env -C / HOME="/home/$user" ATMOST_DIR="$shared" "$@"
}
expect() {
  codes=$1
  shift
  code=0
  if [ "$1" = as ]; then "$@" >said 2>&1 || code=$?; else env ATMOST_DIR="$shared" "$@" >said 2>&1 || code=$?; fi
  case " $codes " in *" $code "*) ;; *) fail "$code instead of $codes: $*" ;; esac
}

# Members exclude one another and root, see one another, and cannot stop another user's command.
mkfifo -m 666 ready go
as one atmost run job -- sh -c "echo in >$there/ready; cat $there/go" &
held=$!
read -r _ <ready
expect 75 as two atmost run -q job -- true
expect 75 atmost run -q job -- true
expect 0 as two atmost list job
grep -q "held.*one" said || fail "two does not see one"
expect 77 as two atmost kill job
expect 77 as three atmost run -q job -- true
expect 77 as three atmost kill job
expect 75 as two atmost run -q job -- true
: >go
wait "$held"
expect 0 as two atmost run job -- true
expect 0 as two atmost history job
for user in one two; do grep -q "uid..$(id -u "$user")" "$shared/history.jsonl" || fail "$user is not in the history"; done
[ "$(stat -c %a:%G "$shared/job.lock")" = 660:atmost ] || fail "$(stat "$shared/job.lock")"

# A user's own locks, whatever the umask is, are the user's alone.
as three env -u ATMOST_DIR sh -c 'umask 0; exec atmost run mine -- true'
own=/home/three/.local/state/atmost
[ -z "$(find "$own" -perm /077)" ] || fail "others may look: $(find "$own" -perm /077 -ls)"

# A link in the place of a lock, the history or the learned limits: no program follows a link,
# waits for a pipe, or overwrites another file.
echo root >victim
chmod 644 victim
mkdir -m 1777 sticky
chmod 1777 sticky
mkdir -m 777 open
chmod 777 open
plant() {
  as "$1" ln -s "$there/victim" "$2/link.lock"
  as "$1" ln -s "$there/made" "$2/nowhere.lock"
  as "$1" mkfifo "$2/pipe.lock"
  as "$1" mkdir "$2/folder.lock"
  as "$1" sh -c "umask 0; echo words >$2/words.lock"
}
plant three "$there/sticky"
plant one "$shared"
for name in link nowhere pipe folder words; do
  for user in one two; do expect "74 77" as "$user" timeout 20 atmost run -w 1 "$there/sticky/$name.lock" -- touch "$there/sticky/ran"; done
  expect "74 77" timeout 20 atmost run -w 1 "$there/sticky/$name.lock" -- touch ran
  expect "74 77" as two timeout 20 atmost run -w 1 $name -- touch "$shared/ran"
  expect "74 77" timeout 20 atmost run -w 1 $name -- touch ran
done
as two rm "$shared/history.jsonl"
for name in history.jsonl experience.hint; do
  as one ln -sf "$there/victim" "$shared/$name"
  as three ln -s "$there/victim" "$there/sticky/$name"
done
expect 0 as two atmost run job -- true
expect 0 atmost run job -- true
grep -q "history.jsonl: is a symbolic link" said || fail "a history that is a link is not named"
expect 0 env ATMOST_DIR="$there/sticky" atmost run job -- true
expect 0 env ATMOST_DIR="$there/sticky" atmost run --expire-after auto job -- true
expect 74 atmost report -o "$there/page"
[ "$(cat victim)" = root ] || fail "a link was followed: $(cat victim)"
[ ! -e made ] && [ ! -e ran ] && [ ! -e sticky/ran ] && [ ! -e "$shared/ran" ] || fail "made or run"

# Directories in which others may rename files.
expect 77 atmost run "$there/open/job.lock" -- touch ran
expect 77 as two atmost run "$there/open/job.lock" -- true
as three mkdir /home/three/locks
expect 77 env ATMOST_DIR=/home/three/locks atmost run job -- touch ran
[ ! -e ran ] || fail "a command was run"

# No user gets the rights of another.
cp /usr/bin/atmost /usr/bin/exectimes .
chmod 4755 atmost exectimes
expect 77 as three "$there/atmost" run job -- true
expect 1 as three "$there/exectimes" "$there/sticky/slots" 1 true
grep -q "refuses to run set-user-id" said || fail "another reason"

cd /
rm -rf "$there" "$shared" /etc/sysusers.d/atmost.conf /etc/tmpfiles.d/atmost.conf
echo "two members of a group, a stranger and root, with what they planted"
