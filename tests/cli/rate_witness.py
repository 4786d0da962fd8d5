#!/usr/bin/env python3
"""An outside witness for --rate: what it says follows from when callers began and commands ran.

    rate_witness.py CALLERS     callers that do not wait, at random times, from several processes
    rate_witness.py --wait N    callers that wait: how late each is, and whether they keep their order

An admission lies between the moment before its call and the moment when its command ran, so both
verdicts hold on any machine, however slow:
  too many    K + 1 commands that ran within a window, the first of which was not yet called before it
  too few     a caller was refused although fewer than K commands can have been admitted in the window
"""
import bisect
import multiprocessing
import os
import random
import subprocess
import sys
import time

K, WINDOW = 20, 0.5
RATE = f"--rate={K}/{int(WINDOW * 1000)}ms"
CLOCK = "import os, time; print(time.clock_gettime(time.CLOCK_BOOTTIME), os.environ['ATMOST_TOKEN'])"


def now():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def call(job):
    """Calls for a while; returns (called, answered, admitted) of each caller."""
    seed, callers = job
    chance, seen = random.Random(seed), []
    for _ in range(callers):
        time.sleep(chance.expovariate(250))
        called = now()
        code = subprocess.run(["atmost", "run", "-q", RATE, "-n", "999", "api", "true"], check=False).returncode
        assert code in (0, 76), code
        seen.append((called, now(), code == 0))
    return seen


def exact(callers):
    processes = 4
    with multiprocessing.Pool(processes) as pool:
        seen = [one for all in pool.map(call, [(seed, callers // processes) for seed in range(processes)]) for one in all]
    ran = sorted((answered, called) for called, answered, admitted in seen if admitted)
    refused = [(called, answered) for called, answered, admitted in seen if not admitted]
    ends = [answered for answered, _ in ran]
    for last, (answered, _) in enumerate(ran):
        # Of the K before it, in any order that is possible: all were called within the window.
        within = [called for _, called in ran[:last] if called > answered - WINDOW]
        assert len(within) < K, f"{len(within) + 1} within {WINDOW} s before {answered}"
    for called, answered in refused:
        # The starts that may have been admitted in the window before it, or meanwhile.
        first = bisect.bisect_right(ends, called - WINDOW)
        possible = sum(begun < answered for _, begun in ran[first:])
        assert possible >= K, f"refused at {called} although {possible} of {K} were admitted"
    assert len(ran) > K and refused, "the rate was never reached"
    print(f"{len(seen)} callers: {len(ran)} admitted, {len(refused)} refused, never more than {K} in {WINDOW} s")


def waits(count):
    """All wait at once. The n-th is due when the window of the one K before it is over."""
    waiting = []
    for number in range(count):
        log = open(f"ran.{number:05}", "w+")
        waiting.append((log, subprocess.Popen(
            ["atmost", "run", RATE, "--on-too-soon=wait", "-n", "999", "--id", str(number), "api", sys.executable, "-SIc", CLOCK],
            stdout=log)))
        time.sleep(0.005)
    ran = []
    for log, process in waiting:
        assert process.wait() == 0
        log.seek(0)
        at, token = log.read().split()
        ran.append((int(token), float(at)))
    swapped = sum(ran[i][0] < ran[i - 1][0] for i in range(1, count))
    ran = [at for _, at in sorted(ran)]
    late = [ran[i] - ran[i - K] - WINDOW for i in range(K, count)]
    print(f"{count} waited: {swapped} were admitted before one that came earlier, "
          f"late by {1000 * sorted(late)[len(late) // 2]:.0f} ms, at most {1000 * max(late):.0f} ms")


if __name__ == "__main__":
    os.environ.pop("ATMOST_HELD", None)
    if sys.argv[1] == "--wait":
        waits(int(sys.argv[2]))
    else:
        exact(int(sys.argv[1]))
