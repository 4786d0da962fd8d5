#!/bin/sh
# Words that people type by mistake, or by a habit of another program: one line with the fault,
# its place and the remedy, and the documented exit code. The calls are rows of mistakes.tsv.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
export SHELL_FILE="$here/../../shell/lock_unlock.sh"

# mistake CODE WORDS CALL: checks a row (mistakes.tsv).
mistake() {
  expect_code "$1" sh -c "$3"
  lines=1
  if [ "$2" = - ]; then lines=0; fi
  expect_line $lines err
  if [ "$2" != - ] && ! grep -qF -- "$2" err; then fail "$3: '$2' is not in: $(cat err)"; fi
  if [ "$1" != 0 ]; then expect_line 0 out; fi
}

# Locks that are not misspelt, and files that are not locks.
for lock in job gpu copy:a ./othr.lock; do atmost run "$lock" true; done
echo 'a letter' >letter
ln -s othr.lock link
cp othr.lock hard
ln hard hard2
printf '#!/nonexistent/interpreter\n' >script
printf '#!/bin/sh\r\necho\r\n' >windows
cp script script-of-none
chmod +x script script-of-none windows

tab=$(printf '\t')
rows=0
while IFS=$tab read -r code words call <&3; do
  case $code in '' | '#'*) continue ;; esac
  mistake "$code" "$words" "$call"
  rows=$((rows + 1))
done 3<"$here/mistakes.tsv"
[ $rows -gt 200 ] || fail "only $rows rows"

# Commands that can name other processes.
if [ "${ATMOST_PORTABLE-}" != 1 ]; then
  mistake 124 '--die-with: that process has ended, and so the command is not started' \
    'atmost run --die-with $$:1 job -- true'
  mistake 64 'process 999999: no such process' 'atmost hold --for-pid 999999 job'
  mistake 1 'lock_unlock: wait: "5x" is not a duration' \
    '. "$SHELL_FILE"; lock_unlock action=lock name=l wait=5x'
  mistake 1 'lock_unlock: expire: "x" is not a duration' \
    '. "$SHELL_FILE"; lock_unlock action=lock name=l expire=x'
  mistake 1 'lock_unlock: mode: "9" is not a file mode' \
    '. "$SHELL_FILE"; lock_unlock action=lock name=l mode=9'
  mistake 0 - '. "$SHELL_FILE"; lock_unlock action=lock name=l id="$(printf %0100d 0)"'
fi

# Words that are right although they look like mistakes.
expect_code 0 atmost help
expect_in out 'usage: atmost COMMAND'
expect_code 0 atmost help run
expect_in out 'usage: atmost run '
expect_code 0 atmost help history
expect_in out 'usage: atmost history '
expect_code 0 atmost version
expect_in out 'atmost '
for command in list ps status; do expect_code 0 atmost $command; done
expect_code 0 atmost run --wait 1.5 --kill-grace 0.5m --if-elapsed 1w later true
expect_code 76 atmost run --if-elapsed 1w later true
expect_in err 'come back in '
