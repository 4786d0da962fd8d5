#!/bin/sh
# apt_lock.sh SOURCE: tools/install_deps waits for another apt. apt itself runs, with folders of the
# test's own (no sources, nothing to fetch); only what would change the system is a stand-in, which
# "installs" the programs of a group that PATH lacks.
set -eu
source=$1
command -v apt-get >/dev/null || exit 125
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-apt.XXXXXX")
holder=
trap '[ -z "$holder" ] || kill "$holder" 2>/dev/null; rm -rf "$folder"' EXIT
programs=$folder/programs
mkdir -p "$programs" "$folder/state/lists/partial" "$folder/cache/archives/partial" "$folder/etc/parts"
: >"$folder/status"
cat >"$folder/apt.conf" <<CONF
Dir::State "$folder/state";
Dir::State::status "$folder/status";
Dir::Cache "$folder/cache";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$folder/etc/parts";
APT::Update::Post-Invoke { };
APT::Update::Post-Invoke-Success { };
CONF
APT_CONFIG=$folder/apt.conf
export APT_CONFIG
for name in cat chmod date env grep mktemp rm sh sleep sort tr; do
  ln -s "$(command -v "$name")" "$programs/$name"
done
cat >"$programs/id" <<'SH'
#!/bin/sh
echo 0
SH
cat >"$programs/apt-get" <<SH
#!/bin/sh
case " \$* " in
  *' update '*)
    $(command -v apt-get) "\$@" || { code=\$?; echo "update failed" >>$folder/log; exit \$code; }
    echo "updated" >>$folder/log
    ;;
  *' -o DPkg::Lock::Timeout=600 install '*)
    for name in rpmbuild rpmlint busybox pkg-config; do
      printf '#!/bin/sh\n' >$programs/\$name
      chmod +x $programs/\$name
    done
    ;;
esac
SH
chmod +x "$programs/id" "$programs/apt-get"
: >"$folder/log"

# The holder of the lock of the lists keeps it until a file appears.
python3 - "$folder" <<'PY' &
import fcntl, os, sys, time
folder = sys.argv[1]
lock = os.open(folder + "/state/lists/lock", os.O_RDWR | os.O_CREAT, 0o640)
fcntl.lockf(lock, fcntl.LOCK_EX)
open(folder + "/held", "w").close()
while not os.path.exists(folder + "/let_go"):
    time.sleep(0.02)
PY
holder=$!
until [ -e "$folder/held" ]; do sleep 0.02; done
code=0
PATH=$programs "$source/tools/install_deps" rpm >"$folder/out" 2>&1 & # it waits
installing=$!
until [ -s "$folder/log" ] || ! kill -0 "$installing" 2>/dev/null; do sleep 0.02; done
: >"$folder/let_go"
wait "$installing" || code=$?
wait "$holder" || :
holder=
[ "$code" = 0 ] || { echo "apt_lock: it ended with $code:" >&2; cat "$folder/out" >&2; exit 1; }
[ "$(head -n 1 "$folder/log")" = "update failed" ] || { echo "apt_lock: nobody was waited for" >&2; exit 1; }
[ "$(tail -n 1 "$folder/log")" = "updated" ]
grep -q '^install_deps: another apt runs; trying again$' "$folder/out"

# An apt that fails for another reason is not tried again.
rm "$programs/rpmbuild"
printf '#!/bin/sh\necho "E: Unable to locate package rpm" >&2\nexit 100\n' >"$programs/apt-get"
code=0
PATH=$programs "$source/tools/install_deps" rpm >"$folder/out" 2>&1 || code=$?
[ "$code" != 0 ] || { echo "apt_lock: it succeeded without the package" >&2; exit 1; }
grep -q 'Unable to locate package rpm' "$folder/out"
