#!/usr/bin/env python3
"""Callers that disagree with a lock's limit of record, or attack it, and an outside witness.

    limit_witness.py CALLERS [SEED]

Each command appends a line to the witness's log when it begins and when it ends: by that log alone,
which no part of atmost knows, no more than N are inside at once. Works in the current directory;
atmost is found in PATH.
"""

import os
import random
import shutil
import subprocess
import sys
import threading

N = 3
WORKERS = 12
INSIDE = "echo + >>{log}; sleep 0.0{pause}; echo - >>{log}"
# The codes of a caller that was admitted, refused as busy, or made a mistake.
CODES = {0, 64, 75}


class Place:
    """A lock directory with the lock `gate`, and the users who call it."""

    def __init__(self, name, users, owner_is_caller):
        self.folder = os.path.abspath(name)
        self.locks = os.path.join(self.folder, "locks")
        self.log = os.path.join(self.folder, "log")
        self.users = users
        self.owner_is_caller = owner_is_caller
        os.makedirs(self.locks)
        with open(self.log, "w", encoding="ascii"):
            pass
        os.chmod(self.log, 0o666)
        subprocess.run(["atmost", "limit", "--dir", self.locks, "--mode", "666", "gate", str(N)],
                       check=True)
        with open(os.path.join(self.locks, "gate.limit"), "rb") as record:
            self.record = record.read()


def as_user(user, words):
    if user is None:
        return words
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *words]


def attack(rng, place):
    """A shell command that would lift the limit if a stranger could."""
    lock, limit = (os.path.join(place.locks, f"gate.{end}") for end in ("lock", "limit"))
    return rng.choice([
        f"atmost limit --dir {place.locks} --no-history gate 99",
        f"atmost limit --dir {place.locks} --no-history --clear gate",
        f"chmod -t {lock}", f"chmod 1777 {limit}", f"rm -f {limit} {lock}",
        f"mv {lock} {lock}.old", f"echo 'max 99' >>{limit}", f"echo 'max 99' >{limit}",
        f"cp {limit} {limit}.new; mv {limit}.new {limit}", f"ln -sf /dev/null {limit}",
        f"ATMOST_UID=0 atmost limit --dir {place.locks} --no-history gate inf"])


def caller(rng, place):
    """The command line and environment of one caller."""
    options = ["--dir", place.locks, "--no-history", "-w", "30"]
    options += rng.choice([[], [], ["-n", "1"], ["-n", "2"], ["-n", "4"], ["-n", "99"],
                           ["-n", "inf"], ["-n", "50%"], ["--shared"], ["-k", "2"],
                           ["-n", "9", "-k", "3"], ["-n", "9", "-k", "4"], ["--exec"],
                           ["--exclusive"]])
    environment = {"PATH": os.environ["PATH"]}
    if rng.random() < 0.3:
        environment["ATMOST_HELD"] = os.path.join(place.locks, "gate.lock")
        environment["ATMOST_SLOT"] = str(rng.randrange(1, 9))
        environment["ATMOST_LOCK"] = "gate"
        environment["ATMOST_TOKEN"] = str(rng.randrange(1, 1 << 60))
    inside = INSIDE.format(log=place.log, pause=rng.randrange(1, 6))
    return ["atmost", "run", *options, "gate", "sh", "-c", inside], environment


class Storm:
    def __init__(self, count, seed):
        self.rng = random.Random(seed)
        self.count = count
        self.lock = threading.Lock()
        self.wrong = []

    def work(self, place, left):
        while True:
            with self.lock:
                if not left:
                    return
                left.pop()
                rng = random.Random(self.rng.random())
            user = rng.choice(place.users)
            if user is not None or not place.owner_is_caller:
                subprocess.run(as_user(user, ["sh", "-c", attack(rng, place)]), check=False,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            words, environment = caller(rng, place)
            done = subprocess.run(as_user(user, words), env=environment, check=False,
                                  capture_output=True)
            if done.returncode not in CODES:
                self.wrong.append(f"{' '.join(words)}: {done.returncode}: {done.stderr!r}")

    def run(self, place):
        left = [None] * self.count
        workers = [threading.Thread(target=self.work, args=(place, left)) for _ in range(WORKERS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.judge(place)

    def judge(self, place):
        with open(place.log, encoding="ascii") as log:
            lines = log.read().split()
        inside = most = 0
        for line in lines:
            inside += 1 if line == "+" else -1
            most = max(most, inside)
        began = lines.count("+")
        print(f"{os.path.basename(place.folder)}: {began} of {self.count} were inside, at most "
              f"{most} at once")
        with open(os.path.join(place.locks, "gate.limit"), "rb") as record:
            if record.read() != place.record:
                self.wrong.append("the record was changed")
        if most > N:
            self.wrong.append(f"{most} at once")
        if began < self.count // 2:
            self.wrong.append(f"only {began} were inside")


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    storm = Storm(int(sys.argv[1]), seed)
    root = os.geteuid() == 0 and shutil.which("setpriv") is not None
    storm.run(Place("own", [None, 12345, 54321] if root else [None], True))
    if root:
        storm.run(Place("roots", [12345], False))
    for wrong in storm.wrong:
        print(f"limit_witness: seed {seed}: {wrong}", file=sys.stderr)
    sys.exit(1 if storm.wrong else 0)


main()
