#!/bin/sh
# Names, ids and arguments of any bytes: every line is JSON without a control byte.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "no python3"

python3 - <<'PY'
import os, random, subprocess
random.seed(6)
for i in range(60):
    def name(most):
        return bytes(random.choice([random.randrange(1, 256), random.choice(b'"\\{}:,\n\x7f\xc2\x85\xe2\x80\xae')])
                     for _ in range(random.randrange(1, most))).replace(b"/", b"_")
    lock = b"./l" + name(60) + b".lock"
    subprocess.run([b"atmost", b"run", b"--log", b"log", b"--log-args", b"--id", name(60), lock, b"--", b"true",
                    name(200)], check=True)
PY
expect_code 0 atmost history --log log --json
expect_line 120 out
expect_line 0 err
python3 - <<'PY'
import json
for text in open("out", "rb").read().decode("utf-8").splitlines():
    event = json.loads(text)
    assert event["v"] == 1 and event["args"][0] == "true", text
PY
expect_code 0 atmost history --log log
if LC_ALL=C tr -d '\n\t' <out | LC_ALL=C grep -q '[[:cntrl:]]'; then fail "a control byte was shown"; fi
