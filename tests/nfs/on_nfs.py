"""What the tests of this folder share: the mounts, jobs, and when they ran."""

import sys
import time
import unittest

from bed import ADDRESSES, Bed, Failed

STORE = "shared:/mnt/hard"


def mount(machine, options, where):
    """Mounts the server's directory as mount.nfs would, with options of the kernel."""
    exported = "/export" if "vers=3" in options else "/"
    machine.do(f"mkdir -p {where} && mount -t nfs -o {options},addr={ADDRESSES['server']}"
               f",clientaddr={ADDRESSES[machine.name]} server:{exported} {where}")


def wait_until(machine, condition, timeout=30):
    """Seconds until the shell condition holds on a machine; `timeout` is in seconds of the bed."""
    timeout *= machine.bed.pace
    start = time.monotonic()
    while machine.run(condition)[0] != 0:
        if time.monotonic() - start > timeout:
            raise Failed(f"{machine.name}: not within {timeout:.0f} s: {condition}")
        time.sleep(0.1)
    return time.monotonic() - start


def say(line):
    print("bed: " + line, file=sys.stderr)


def clock_ahead(machine):
    """Seconds by which the machine's clock is ahead of ours; the quickest of five answers counts."""
    best = None
    for _ in range(5):
        before = time.time()
        machine.do("sign /tmp/clock & while [ ! -s /tmp/clock ]; do :; done; touch /tmp/clock.end; wait")
        after = time.time()
        theirs = int(machine.do("cat /tmp/clock; rm /tmp/clock /tmp/clock.end").split()[0]) / 1e9
        if best is None or after - before < best[0]:
            best = (after - before, theirs - (before + after) / 2)
    return best[1]


class Job:
    """`atmost run ... LOCK -- sign`, started on a machine; `name` is used once for each machine."""

    def __init__(self, machine, lock, name, options=""):
        self.machine = machine
        self.file = f"/tmp/{name}"
        self.ahead = clock_ahead(machine)
        machine.do(f"(atmost run --store {STORE} {options} {lock} -- sign {self.file} >{self.file}.out 2>&1 &"
                   f" echo $! >{self.file}.pid; wait $!; echo $? >{self.file}.code) >/dev/null 2>&1 &")
        wait_until(machine, f"[ -s {self.file}.pid ]")

    def monitor(self):
        return self.machine.do(f"cat {self.file}.pid").strip()

    def supervisor(self):
        pid = self.monitor()
        return self.machine.do(f"cat /proc/{pid}/task/{pid}/children").split()[0]

    def command(self):
        """The id of the process that gives signs."""
        listed = self.machine.do("for each in /proc/[0-9]*; do echo ${each#/proc/} $(tr '\\0' ' ' "
                                 "<$each/cmdline 2>/dev/null); done")
        found = [line.split()[0] for line in listed.splitlines()
                 if line.split()[1:] == ["sign", self.file]]
        if len(found) != 1:
            raise Failed(f"{self.machine.name}: commands of {self.file}: {found}")
        return found[0]

    def wait_for_start(self, timeout=60):
        wait_until(self.machine, f"[ -s {self.file} ]", timeout)
        return self

    def wait_for_end(self, timeout=60):
        """The exit code of `atmost run`, and what it wrote."""
        wait_until(self.machine, f"[ -s {self.file}.code ]", timeout)
        return int(self.machine.do(f"cat {self.file}.code")), self.machine.do(f"cat {self.file}.out")

    def signs(self):
        """The first and the last sign, in seconds of our clock."""
        first, last = self.machine.do(f"cat {self.file}").split()
        return int(first) / 1e9 - self.ahead, int(last) / 1e9 - self.ahead

    def runs(self):
        before = self.signs()[1]
        time.sleep(0.5)
        return self.signs()[1] > before

    def finish(self):
        self.machine.do(f"touch {self.file}.end")
        code, said = self.wait_for_end()
        if code != 0:
            raise Failed(f"{self.machine.name}: {self.file} ended with {code}: {said}")


class Change:
    """A line of the witness: a command began or ended."""

    def __init__(self, line):
        self.what, ns, self.lock, limit, self.id, held, token = line.split()
        self.ns, self.limit, self.held = int(ns), int(limit), int(held)
        self.token = None if token == "-" else int(token)


class Witness:
    """Counts commands on the server's machine (witness.c). `name` is used once."""

    next_port = 7701

    def __init__(self, server, name):
        self.server, self.file = server, f"/disk/witness-{name}"
        self.port = Witness.next_port
        Witness.next_port += 1
        server.do(f"witness {self.port} {self.file} >{self.file}.err 2>&1 &")
        wait_until(server, f"[ -e {self.file} ]")

    def sign(self, lock, limit, name, millis):
        """The command of a lock that this witness counts for that many milliseconds."""
        return f"sign /dev/null {ADDRESSES['server']} {self.port} {lock} {limit} {name} {millis}"

    def changes(self):
        return [Change(line) for line in self.server.do(f"cat {self.file}").splitlines()]


class OnNfs(unittest.TestCase):
    """Three machines for all classes with the same lease of the server, one after the other: each
    test uses names of its own, and heals what it cuts. A test that fails may leave them busy, so
    the next one gets new machines."""

    IMAGE = ""
    LEASE_S = 15
    bed = None

    def run(self, result=None):
        failed = len(result.failures) + len(result.errors)
        super().run(result)
        if len(result.failures) + len(result.errors) > failed:
            self.end()

    def setUp(self):
        self.start()

    @classmethod
    def start(cls):
        if OnNfs.bed is not None and OnNfs.bed.usual_lease == cls.LEASE_S:
            return
        cls.end()
        start = time.monotonic()
        OnNfs.bed = Bed(OnNfs.IMAGE, lease=cls.LEASE_S).__enter__()
        for client in (cls.bed.one, cls.bed.two):
            mount(client, "vers=4.2,hard", "/mnt/hard")
        # Since it started, the server has granted nothing but what its clients had before.
        for client in (cls.bed.one, cls.bed.two):
            wait_until(client, f"atmost run -q --store {STORE} ready -- true", 3 * cls.LEASE_S)
        say(f"{cls.__name__}: {cls.bed.accelerator}, up after {time.monotonic() - start:.1f} s, "
            f"pace {cls.bed.pace:.1f}")

    @classmethod
    def end(cls):
        if OnNfs.bed is not None:
            OnNfs.bed.__exit__(None, None, None)
            OnNfs.bed = None
