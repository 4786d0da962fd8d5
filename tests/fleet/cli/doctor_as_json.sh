#!/bin/sh
# doctor --json speaks of a directory and of a store of many machines in the same lines, whatever it
# found.
. "$(dirname "$0")/lib.sh"

cat >check.py <<'EOF'
import json, sys
store, verdict, lines = sys.argv[1], sys.argv[2], [json.loads(line) for line in open("out")]
for line in lines:
    assert list(line) == ["level", "check", "what", "why", "advice", "store"], line
    assert all(isinstance(value, str) for value in line.values()), line
    assert line["level"] in ("ok", "warn", "fail") and line["check"] and line["what"], line
    assert line["store"] == store, line
assert [line["check"] for line in lines].index("verdict") == len(lines) - 1, lines
worst = max(("ok", "warn", "fail").index(line["level"]) for line in lines[:-1])
last = lines[-1]
assert last["what"] == verdict and last["level"] == ("ok", "warn", "fail")[worst], last
assert (last["what"] == "no") == (last["level"] == "fail") == (last["why"] != ""), last
EOF
check() { python3 check.py "$@" || fail "$(cat out)"; }

mkdir good
expect_code 0 atmost doctor --json good
check good yes
expect_code 74 atmost doctor --json missing
check missing no
trusted=0
[ "$FLEET_TRUSTED" = yes ] || trusted=69
expect_code "$trusted" atmost doctor --json "$FLEET_STORE"
check "$FLEET_STORE" "$FLEET_TRUSTED"
expect_code 69 atmost doctor --json "$FLEET_DEAD"
check "$FLEET_DEAD" no
