#!/bin/sh
# --output=on-failure: 1 GB at full speed takes no more room than --output-max and what is written
# in 200 ms, and the command is about as fast as with a file of its own, which is then removed.
. "$(dirname "$0")/lib.sh"
[ -z "${ATMOST_PORTABLE-}" ] || skip "POSIX alone cannot free the middle of a file"

TMPDIR=$folder python3 - <<'PY'
import os, statistics, subprocess, time

BYTES = 1_000_000_000
WRITER = "import os,sys\nb=bytes(65536)\nopen('pid.new','w').write(str(os.getpid()))\nos.rename('pid.new','pid')\n" \
    f"for _ in range({BYTES} // 65536): os.write(1, b)\n"

def kept(watch):
    """Seconds; or by how much the blocks went beyond the bound and what 200 ms wrote."""
    begin = time.monotonic()
    run = subprocess.Popen(["atmost", "run", "--output=on-failure", "job", "--", "python3", "-c", WRITER])
    seen = []
    while watch and run.poll() is None:
        try:
            status = os.stat(f"/proc/{open('pid').read()}/fd/1")
            seen.append((time.monotonic(), status.st_size, status.st_blocks * 512))
        except OSError:
            pass
        time.sleep(0.002)
    assert run.wait() == 0
    took = time.monotonic() - begin
    over = 0
    for at, size, blocks in seen:
        before = max((one[1] for one in seen if one[0] <= at - 0.2), default=0)
        over = max(over, blocks - (16 << 20) - (size - before))
    os.unlink("pid")
    return over if watch else took

def plain():
    begin = time.monotonic()
    with open("big", "ab") as out:
        subprocess.run(["python3", "-c", WRITER], stdout=out, check=True)
    os.unlink("big")
    os.unlink("pid")
    return time.monotonic() - begin

over = [kept(True) for _ in range(5)]
runs = [(kept(False), plain()) for _ in range(9)]
ratio = statistics.median(one for one, _ in runs) / statistics.median(one for _, one in runs)
print(f"beyond the bound: {max(over)} bytes; {ratio:.3f} times as long as with a file")
assert statistics.median(over) <= 1 << 20, over
assert ratio < 1.25, ratio
PY
