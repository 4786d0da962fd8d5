#!/bin/sh
# --rate with --on-too-soon=wait: first come, first served, and never more than K in a window.
. "$(dirname "$0")/lib.sh"

# What runs writes its number and when, in ms of uptime.
cat >job <<'END'
#!/bin/sh
read -r up rest </proc/uptime
echo "$1 $up" >>order
END
chmod +x job
[ -r /proc/uptime ] || skip "no /proc/uptime"

expect_code 0 atmost run --rate 2/1s -n 99 api ./job 0
for i in 1 2 3 4 5 6; do
  start atmost run --rate 2/1s --on-too-soon=wait -n 99 --id "$i" api ./job "$i"
  wait_until "grep -q '^$i ' order || atmost list --json api | grep -q '\"id\":\"$i\"'"
done
for pid in $started_all; do expect_end 0 "$pid"; done
cut -d' ' -f1 order | tr '\n' ' ' >numbers
expect_in numbers "0 1 2 3 4 5 6 "

# The third of any three in a row starts a window after the first; the job's clock has steps of
# 10 ms.
awk '{ at[NR] = $2 } NR > 2 && at[NR] - at[NR - 2] < 0.98 { print at[NR - 2], at[NR]; bad = 1 }
     END { exit bad }' order || fail "three within a second"
