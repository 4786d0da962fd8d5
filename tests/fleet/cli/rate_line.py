#!/usr/bin/env python3
"""An outside witness for --rate in a fleet: callers at random times, three of four of which wait.

    rate_line.py CALLERS K WINDOW [LATEST]    ($ATMOST_STORE says where; WINDOW and LATEST in seconds)

With $HOSTS each is on one of so many machines, as far as it can tell, whose boot clocks are hours apart.

It knows when it called, when a caller said that it waits, and when a command ran. An admission lies
between the call and the moment when its command ran, so these hold on any machine, however slow:
  too many      K + 1 commands that ran within a window, the first of which was not yet called before it
  out of order  a caller that came when another was waiting already, and was admitted before it
  early         a command that ran before the one K before it was called, and a window
Late is a command that ran later than a window after the one K before it ran, while its caller waited.
LATEST is for a machine that has nothing else to do: so late may no command be.
"""
import os
import random
import re
import selectors
import subprocess
import sys
import time

COUNT, K, WINDOW = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
LATEST = float(sys.argv[4]) if len(sys.argv) > 4 else None
RUN = ["atmost", "run", "-v", "--no-history", f"--rate={K}/{int(WINDOW * 1000)}ms", "-n", "999"]
# The clock of date(1) is time.time().
HOSTS = int(os.environ.get("HOSTS", "0"))
COMMAND = ["api", "sh", "-c", "echo ran $(date +%s%N) $ATMOST_TOKEN"]


class Host:
    """Keeps the namespaces of one, where callers are started."""

    def __init__(self, number):
        # Only children of unshare are in the new time namespace.
        self.keeper = subprocess.Popen(
            ["unshare", "--uts", "-T", "--boottime", str(10007 * number),
             "sh", "-c", 'hostname "$0" && exec 3<&0 && { cat <&3 & echo $!; wait; }', f"host{number}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.entry = ["nsenter", "-t", self.keeper.stdout.readline().decode().strip(), "--uts", "--time"]

    def end(self):
        self.keeper.stdin.close()
        self.keeper.wait()


class Caller:
    def __init__(self, waits, host):
        self.waits, self.waiting, self.ran, self.token = waits, None, None, None
        self.output = b""
        self.called = time.time()
        self.process = subprocess.Popen(host + RUN + (["--on-too-soon=wait"] if waits else []) + COMMAND,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def heard(self):
        """False at the end."""
        some = os.read(self.process.stdout.fileno(), 65536)
        self.output += some
        if self.waiting is None and b"waiting: " in self.output:
            self.waiting = time.time()
        return some != b""

    def ended(self):
        code = self.process.wait()
        ran = re.search(rb"ran (\d+) (\d+)", self.output)
        assert code in ((0,) if self.waits else (0, 75, 76)), (code, self.output)
        assert (ran is not None) == (code == 0), (code, self.output)
        if ran:
            self.ran, self.token = int(ran[1]) / 1e9, int(ran[2])


def call_all():
    chance, selector, callers = random.Random(1), selectors.DefaultSelector(), []
    hosts = [Host(number) for number in range(HOSTS)]
    following, open_ = time.time(), 0
    while len(callers) < COUNT or open_:
        if len(callers) < COUNT and time.time() >= following:
            host = chance.choice(hosts).entry if hosts else []
            caller = Caller(waits=chance.random() < 0.75, host=host)
            callers.append(caller)
            selector.register(caller.process.stdout, selectors.EVENT_READ, caller)
            open_ += 1
            # As many as the rate allows on average, in bursts: those that are not refused have to wait.
            following += chance.expovariate(1.2 * K / WINDOW)
        pause = max(0, following - time.time()) if len(callers) < COUNT else None
        for key, _ in selector.select(pause):
            if key.data.heard():
                continue
            selector.unregister(key.fileobj)
            key.data.ended()
            open_ -= 1
    for host in hosts:
        host.end()
    return callers


def main():
    callers = call_all()
    ran = sorted((each for each in callers if each.ran), key=lambda each: each.token)
    by_time = sorted(ran, key=lambda each: each.ran)
    for i, last in enumerate(by_time):
        within = sum(each.called > last.ran - WINDOW for each in by_time[:i])
        assert within < K, f"{within + 1} within {WINDOW} s before {last.ran}"
    for i in range(K, len(ran)):
        assert ran[i].ran >= ran[i - K].called + WINDOW, f"{ran[i].ran} is too early after {ran[i - K].called}"
    earliest = float("inf")
    for each in reversed(ran):
        assert earliest > each.called, f"called at {each.called}, admitted before one that waited since {earliest}"
        earliest = min(earliest, each.waiting or float("inf"))
    late = sorted(ran[i].ran - (ran[i - K].ran + WINDOW) for i in range(K, len(ran))
                  if ran[i].waiting and ran[i].waiting < ran[i - K].ran + WINDOW)
    refused = len(callers) - len(ran)
    assert len(ran) > K and refused and late, "the rate was never reached"
    worst = sorted(ran[i].ran - ran[i - K].ran for i in range(K, len(ran)))[0]
    print(f"{len(callers)} callers: {len(ran)} admitted, {sum(each.waiting is not None for each in ran)} of which waited, "
          f"{refused} refused; never more than {K} in {WINDOW} s (the shortest {worst:.3f}); in order; "
          f"{len(late)} due while they waited, late by {1000 * late[len(late) // 2]:.0f} ms, "
          f"99 of 100 at most {1000 * late[len(late) * 99 // 100]:.0f} ms, at most {1000 * late[-1]:.0f} ms")
    assert LATEST is None or late[-1] <= LATEST, f"late by {late[-1]} s"


main()
