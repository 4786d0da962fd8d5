"""Takes of one lock by processes that are killed all the while.

Each worker that is in also takes a POSIX record lock of another file, of which atmost knows nothing:
where that fails, two were in at once. Of a process that is killed the kernel frees it before
atmost's, which ends with its file: files are freed after all of them were closed, the last one
first, so that flock(2) would be freed too late. Bytes through a pipe count the takes, as the killed
cannot.
"""
import fcntl
import math
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict

import atmost
import outside

TAKES, KILLS, WORKERS = 10_000, 300, 4


def work(folder: Path, which: int, counter: int) -> None:
    witness = os.open(folder / "witness", os.O_RDWR | os.O_CREAT)
    waits = which % 2 == 0
    lock = atmost.Lock("a", dir=folder, wait=math.inf if waits else 0.0)
    while True:
        try:
            with lock:
                try:
                    fcntl.lockf(witness, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.write(counter, b"t")
                    fcntl.lockf(witness, fcntl.LOCK_UN)
                except OSError:
                    os.write(counter, b"o")
        except atmost.Busy:
            time.sleep(0.001)


def start(folder: Path, which: int, counter: int) -> int:
    child = os.fork()
    if child == 0:
        try:
            work(folder, which, counter)
        finally:
            os._exit(1)
    return child


def main() -> int:
    folder = Path(tempfile.mkdtemp(prefix="atmost-soak."))
    began = time.monotonic()
    readable, writable = os.pipe()
    workers: Dict[int, int] = {which: start(folder, which, writable) for which in range(WORKERS)}
    takes = overlaps = kills = 0
    while takes < TAKES or kills < KILLS:
        seen = os.read(readable, random.randint(1, 60))
        takes, overlaps = takes + seen.count(b"t"), overlaps + seen.count(b"o")
        if kills * TAKES <= takes * (KILLS + 10):
            which = random.randrange(WORKERS)
            time.sleep(random.random() / 1000)
            os.kill(workers[which], signal.SIGKILL)
            _, status = os.waitpid(workers[which], 0)
            assert os.WIFSIGNALED(status), "a worker ended by itself"
            kills += 1
            workers[which] = start(folder, which, writable)
    for worker in workers.values():
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)
    left = len(atmost.Lock("a", dir=folder).list())
    outsider = outside.run(folder)
    print(f"python soak: {takes} takes, {kills} killed, {overlaps} overlaps, {left} left, "
          f"another process then ends with {outsider}, {time.monotonic() - began:.0f} s")
    return int(overlaps != 0 or left != 0 or outsider != 0)


if __name__ == "__main__":
    sys.exit(main())
