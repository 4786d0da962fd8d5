#!/bin/sh
# --rate with --on-too-soon=wait: first come, first served.
. "$(dirname "$0")/lib.sh"

# Each command writes its number, and its token, which has the order of the admissions: two may
# run at once.
cat >job <<'END'
#!/bin/sh
echo "$1 $ATMOST_TOKEN" >>ran
END
chmod +x job

expect_code 0 atmost run --rate 2/1s -n 99 api ./job 0
for i in 1 2 3 4 5 6; do
  start atmost run --rate 2/1s --on-too-soon=wait -n 99 --id "$i" api ./job "$i"
  wait_until "grep -q '^$i ' ran || atmost list --json api | grep -q '\"id\":\"$i\"'"
done
for pid in $started_all; do expect_end 0 "$pid"; done
sort -k2n ran >order
cut -d' ' -f1 order | tr '\n' ' ' >numbers
expect_in numbers "0 1 2 3 4 5 6 "
