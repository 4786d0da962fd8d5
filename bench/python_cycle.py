"""What a take and a release of a free lock cost in Python, beside filelock and portalocker: medians
of turns, so that a busy machine disturbs all alike.

    bench/run python
"""
import fcntl
import os
import statistics
import tempfile
import time

import atmost
import filelock
import portalocker

ROUNDS, CYCLES = 41, 100


def use(lock):
    def cycle():
        with lock:
            pass

    return cycle


def main():
    folder = tempfile.mkdtemp(prefix="atmost-cycle.")
    os.environ["ATMOST_DIR"] = folder

    def bare():
        descriptor = os.open(folder + "/bare", os.O_RDWR | os.O_CREAT)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(descriptor)

    def portable():
        with portalocker.Lock(folder + "/portalocker", timeout=0):
            pass

    cycles = {
        "open, flock, close": bare,
        "filelock": use(filelock.FileLock(folder + "/filelock")),
        "portalocker": portable,
        "without history": use(atmost.Lock(folder + "/plain.lock", no_history=True)),
        "with history": use(atmost.Lock(folder + "/logged.lock")),
        "that would wait": use(atmost.Lock(folder + "/waits.lock", wait=60)),
        "atmost.FileLock": use(atmost.FileLock(folder + "/shape.lock")),
    }
    taken = {name: [] for name in cycles}
    for _ in range(ROUNDS):
        for name, cycle in cycles.items():
            begin = time.perf_counter()
            for _ in range(CYCLES):
                cycle()
            taken[name].append((time.perf_counter() - begin) * 1e6 / CYCLES)
    beside = statistics.median(taken["filelock"])
    for name, values in taken.items():
        median = statistics.median(values)
        print(f"{name:20} {median:7.2f} us  {median / beside:5.2f} x filelock")


if __name__ == "__main__":
    main()
