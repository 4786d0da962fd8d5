#!/bin/sh
# What people type by mistake, or by a habit of another program: one line that says what would be
# right, and the documented exit code.
. "$(dirname "$0")/lib.sh"

# mistake CODE 'WORDS' COMMAND...
mistake() {
  words=$2
  code=$1
  shift 2
  expect_code "$code" "$@"
  expect_line 1 err
  expect_line 0 out
  expect_in err "$words"
}

# Misspelt commands, options and values.
mistake 64 'atmost: "lst" is no command of atmost; did you mean list?' atmost lst
mistake 64 '"rnu" is no command of atmost; did you mean run?' atmost rnu lock true
mistake 64 '"stat" is no command of atmost; did you mean stats?' atmost stat
mistake 64 '"exlpain" is no command of atmost; did you mean explain?' atmost exlpain lock
mistake 64 '"histroy" is no command of atmost; did you mean history?' atmost histroy
mistake 64 '"simluate" is no command of atmost; did you mean simulate?' atmost simluate x
mistake 64 '"verison" is no command of atmost; did you mean version?' atmost verison
mistake 64 '"xyzzy" is no command of atmost: atmost --help lists them' atmost xyzzy
mistake 64 'atmost: --if-elasped: no option of run; did you mean --if-elapsed?' \
  atmost run --if-elasped 1h lock true
mistake 64 '--expire: no option of run: how old a holder may be is --expire-after, how long idle' atmost run --expire 1h lock true
mistake 64 '--max-run: no option of run; did you mean --max-runtime?' atmost run --max-run=1h lock true
mistake 64 '--on: no option of run: atmost run --help lists them' atmost run --on=x lock true
mistake 64 '--jsno: no option of list; did you mean --json?' atmost list --jsno
mistake 64 '--on-busy: "skp" is none of fail, skip, replace, join, supersede; did you mean skip?' \
  atmost run --on-busy=skp lock true
mistake 64 '--until: "man" is none of main, tree, close; did you mean main?' \
  atmost run --until=man lock true
mistake 64 '--wait: "5 min" is not a duration: use a number with ms, s, m, h, d or w, or inf' \
  atmost run --wait '5 min' lock true
mistake 64 '--wait: "1.5h30m" is not a duration' atmost run --wait 1.5h30m lock true

mistake 64 '"RUN" is no command of atmost; did you mean run?' atmost RUN lock true
mistake 64 '"--hepl" is no option of atmost; did you mean --help?' atmost --hepl
mistake 64 '"-n" is before the command, and options come after it: atmost run -n LOCK COMMAND' \
  atmost -n 3 lock true
mistake 64 '--on-busy: "SKIP" is none of fail, skip, replace, join, supersede; did you mean skip?' \
  atmost run --on-busy=SKIP lock true
mistake 64 'replace, join, supersede; how long to wait for admission is --wait' atmost run --on-busy=wait lock true

# Words that other programs have.
mistake 64 '"stop" is no command of atmost; did you mean kill?' atmost stop lock
mistake 64 '"start" is no command of atmost; did you mean run?' atmost start lock true
mistake 64 '"lock" is no command of atmost; did you mean run, or hold in a script?' atmost lock x
mistake 64 '"unlock" is no command of atmost; did you mean release?' atmost unlock x
mistake 64 '"pause" is no command of atmost; did you mean drain?' atmost pause x
mistake 64 '"logs" is no command of atmost; did you mean history?' atmost logs
mistake 64 '"rm" is no command of atmost; did you mean forget?' atmost rm x
mistake 64 '--every: no option of run: how soon it may run again is --if-elapsed' \
  atmost run --every 5m lock true
mistake 64 '--lock: no option of run: LOCK is the first word after the options' \
  atmost run --lock lock true
mistake 64 '--signal: no option of run: INT is sent first, then TERM and KILL: leave it out' \
  atmost run --signal INT lock true

# Habits of flock(1), timeout(1) and GNU sem.
mistake 64 '--max: "lock" is not a whole number from 0 to 262144; not to wait, as -n of flock(1), is what atmost does anyway' \
  atmost run -n lock true
mistake 64 '; not to wait, as -n of flock(1), is' atmost run -n -x -w 5 lock true
mistake 64 '-x: no option of run: an exclusive lock is what atmost takes anyway: leave it out' \
  atmost run -x lock true
mistake 64 '-e: no option of run: an exclusive lock is' atmost run -e lock true
mistake 64 '-s: no option of run: a lock that readers share is --shared' atmost run -s lock true
mistake 64 '-u: no option of run: a lock is released when its command ends' atmost run -u lock
mistake 64 '-E: no option of run: the exit code when busy is --busy-exit-code N' \
  atmost run -E 9 lock true
mistake 64 "-c: no option of run: a command line for a shell is: LOCK sh -c 'COMMAND'" \
  atmost run -c 'echo hi' lock
mistake 64 "-o: no option of run: not to pass the lock's descriptor on is --close" \
  atmost run -o lock true
mistake 64 '--no-fork: no option of run: to become the command is --exec' \
  atmost run --no-fork lock true
mistake 64 '--nb: no option of run: atmost does not wait unless --wait says so' \
  atmost run --nb lock true
mistake 64 '-j: no option of run: at most N at a time is -n N' atmost run -j4 lock true
mistake 64 '--kill-after: no option of run: the pause after each signal is --kill-grace' \
  atmost run --kill-after 5 lock true
mistake 64 '--timeout: means two things' atmost run --timeout 5 lock true

# LOCK forgotten, and shell syntax without a shell.
mistake 127 'atmost: nosuch: No such file or directory; sh is a program: was LOCK forgotten? atmost run LOCK sh nosuch' \
  atmost run sh nosuch
mistake 127 "; for shell syntax use: sh -c 'COMMAND'" atmost run lock 'echo hi; echo there'
mistake 127 "cd: No such file or directory; for shell syntax use: sh -c 'COMMAND'" \
  atmost run lock cd /
mistake 127 "; for shell syntax use: sh -c 'COMMAND'" atmost run lock FOO=1 true
mistake 127 'nosuch: No such file or directory' atmost run lock nosuch
if grep -q 'sh -c\|forgotten' err; then fail "a hint where none helps: $(cat err)"; fi
mistake 127 "--wait: No such file or directory (options come before LOCK)" \
  atmost run lock --wait 5 true

# Operands that are missing, or are no locks.
mistake 64 'no command given: atmost --help lists them' atmost
mistake 64 'no LOCK given: use a name, operator:operand or a path' atmost run
mistake 64 'no COMMAND given: atmost run LOCK COMMAND [ARG]...' atmost run lock
mistake 64 'no COMMAND given' atmost run lock --
mistake 64 'the lock has no name' atmost run '' true
mistake 64 '"." is a directory: name a file' atmost run . true
mistake 74 'is a directory; name a file in it' atmost run "$folder" true
mistake 73 'cannot create the lock file: No such file or directory' atmost run ./none/x.lock true
mistake 74 '/dev/null: is not a regular file' atmost run /dev/null true
echo 'a letter' >letter
mistake 74 'not a lock file, or cut short (it holds other data, which was left alone)' \
  atmost run ./letter true
mistake 64 'no LOCK given' atmost kill
mistake 64 '--for-pid: hold needs it: use --for-pid $$ in a script' atmost hold lock
mistake 1 'nothing is held there for process' atmost release lock
mistake 64 '--max: wait needs it: use -n N' atmost wait lock
mistake 64 'atmost pass: FILE is missing' atmost pass
mistake 78 'none.toml: No such file or directory' atmost pass none.toml
mistake 74 'none.txt: No such file or directory' atmost simulate none.txt

# Values.
mistake 64 '--max: needs a value: N' atmost run -n
mistake 64 '--max: "-1" is not a whole number from 0 to 262144' atmost run -n -1 lock true
mistake 64 '--take: 3 slots of at most 2: use at most --max' atmost run -k 3 -n 2 lock true
mistake 64 '--wait: "" is not a duration' atmost run --wait= lock true
mistake 64 '--if-elapsed: "1y" is not a duration' atmost run --if-elapsed 1y lock true
mistake 64 '--mode: "999" is not a file mode: use three octal digits' atmost run --mode 999 lock true
mistake 64 '--now: "yesterday" is not a time: use seconds since 1970' \
  atmost run --now yesterday lock true
mistake 64 '--auto-risk: "2000" is not a number of runs in 1,000' \
  atmost run --auto-risk 2000 lock true
mistake 64 '--splay: no part of inf can be waited for' atmost run --splay inf lock true
mistake 64 '--ttl: only a lease in a fleet has one: use it with --store, or a lock on NFS' atmost run --ttl 5 lock true
mistake 64 '--store: is no store: use file:, symlink:, etcd://' \
  atmost run --store redis://x lock true
mistake 64 '--store: names no directory by its whole path: use shared:/DIRECTORY, on NFS' \
  atmost run --store shared:locks lock true
mistake 64 '--quiet: takes no value' atmost run --quiet=yes lock true
mistake 64 '--n: no option of run; did you mean --max?' atmost run --n 3 lock true
mistake 64 '--since: "yesterday" is no moment: use a duration ago' atmost history --since yesterday

# What is meant all the same.
expect_code 0 atmost help
expect_in out 'usage: atmost COMMAND'
expect_code 0 atmost help run
expect_in out 'usage: atmost run '
expect_code 0 atmost help history
expect_in out 'usage: atmost history '
mistake 64 '"hsitory" is no command of atmost; did you mean history?' atmost help hsitory
expect_code 0 atmost version
expect_in out 'atmost '
for command in ls ps status; do expect_code 0 atmost $command; done
expect_code 0 atmost run --wait 1.5 --kill-grace 0.5m --if-elapsed 1w later true
expect_code 76 atmost run --if-elapsed 1w later true
expect_in err 'come back in '
