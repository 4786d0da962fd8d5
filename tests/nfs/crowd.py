"""Many callers on two machines, some of which are killed, and a witness on the server.

The witness counts connections of the commands that run (witness.c); it knows nothing of locks. The
callers' own times (crowd.c) tell who waited when somebody else came.
"""

import os
import threading
import time

from bed import ADDRESSES
from on_nfs import STORE, OnNfs, Witness, say

CALLS = int(os.environ.get("ATMOST_NFS_CALLS", "500"))
RATE = 3.0  # a second, on each machine


class Call:
    def __init__(self, line):
        name, limit, called, waiting, ended, code, killed = line.split()
        self.name, self.limit, self.code = name, int(limit), int(code)
        self.killed = None if killed == "-" else killed
        self.called, self.waiting, self.ended = int(called), int(waiting), int(ended)
        self.entered = None  # place in the witness's order


class Crowd(OnNfs):
    LEASE_S = 15

    def test_never_more_than_n_and_in_order(self):
        witness = Witness(self.bed.server, "crowd")
        said = {}
        each = CALLS // 2

        def drive(machine, seed):
            said[machine.name] = machine.do(
                f"crowd {seed} {each} {RATE} {machine.name} {ADDRESSES['server']} {witness.port} {STORE} 2>&1",
                timeout=120 + 4 * each / RATE)

        start = time.monotonic()
        threads = [threading.Thread(target=drive, args=(machine, seed))
                   for seed, machine in enumerate((self.bed.one, self.bed.two), 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(set(said), {"one", "two"}, "a machine did not answer")
        calls = {}
        for text in said.values():
            for line in text.splitlines():
                if line.startswith(("one-", "two-")):
                    calls[line.split()[0]] = Call(line)
        self.assertEqual(len(calls), 2 * each, said)
        entered = self.judge_witness(witness.changes(), calls)
        for call in calls.values():
            if call.killed is None:
                self.assertEqual(call.code, 0, said)
                self.assertIsNotNone(call.entered, call.name)
        self.judge_order(calls)
        killed = [call.killed for call in calls.values() if call.killed]
        say(f"crowd: {len(calls)} calls, {entered} commands, killed: "
            + ", ".join(f"{killed.count(what)} {what}s" for what in sorted(set(killed)))
            + f"; never more than N, in order; {time.monotonic() - start:.0f} s")
        for name in ("one", "two"):
            waits = sorted((call.ended - call.waiting) / 1e9 for call in calls.values()
                           if call.name.startswith(name) and call.waiting and not call.killed)
            self.assertTrue(waits, "nobody waited")
            say(f"crowd: {name}: {len(waits)} waited, median {waits[len(waits) // 2]:.1f} s, "
                f"at most {waits[-1]:.1f} s")

    def judge_witness(self, changes, calls):
        """Never more than N of a lock; which command ran in which order."""
        full = entered = 0
        for change in changes:
            self.assertEqual(change.lock, f"lock{change.limit}")
            self.assertLessEqual(change.held, change.limit, vars(change))
            if change.what == "in":
                full += change.held == change.limit
                entered += 1
                calls[change.id].entered = entered
        self.assertGreater(full, 10, "the limits were never reached")
        return entered

    def judge_order(self, calls):
        """On one machine nobody is admitted before a caller that waited when it called."""
        overtaken = 0
        ran = [call for call in calls.values() if call.entered and call.waiting]
        for first in ran:
            for second in calls.values():
                if (second.entered and second.limit == first.limit and first.waiting < second.called
                        and second.name[:3] == first.name[:3]):
                    overtaken += second.entered < first.entered
        self.assertEqual(overtaken, 0)
