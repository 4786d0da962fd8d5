"""Many callers on two machines, some of which are killed, and a witness on the server.

The witness counts connections of the commands that run (witness.c); it knows nothing of locks. The
callers' own times (crowd.c) tell who waited when somebody else came.
"""

import os
import threading
import time

from bed import ADDRESSES
from on_nfs import STORE, OnNfs, Witness, say

# For machines with a pace of 1; slower ones get fewer calls, further apart, in the same time.
CALLS = int(os.environ.get("ATMOST_NFS_CALLS", "500"))
RATE = 3.0  # a second, on each machine (crowd.c)
FEWEST = 24  # on each machine: with fewer the limits are not reached
TURN_NS = 1_000_000_000  # docs/fleet-shared.md: a waiter that leaves a slot free for so long


class Call:
    def __init__(self, line):
        name, limit, called, waiting, ended, code, killed = line.split()
        self.name, self.limit, self.code = name, int(limit), int(code)
        self.killed = None if killed == "-" else killed
        self.called, self.waiting, self.ended = int(called), int(waiting), int(ended)
        self.machine = name.split("-")[0]
        self.entered = self.left = self.token = None  # places in the witness's order

    @property
    def ran(self):
        return self.entered is not None


class Crowd(OnNfs):
    LEASE_S = 15

    def test_never_more_than_n_and_in_order(self):
        witness = Witness(self.bed.server, "crowd")
        said = {}
        each = max(FEWEST, int(CALLS / 2 / self.bed.pace))
        ttl = self.bed.lease * 2 / 3

        def drive(machine, seed):
            said[machine.name] = machine.do(
                f"crowd {seed} {each} {self.bed.pace:.2f} {machine.name} {ADDRESSES['server']} {witness.port}"
                f" {STORE} {ttl:.0f}s 2>&1", timeout=120 + 4 * each / RATE)

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
        changes = witness.changes()
        entered = self.judge_witness(changes, calls)
        for call in calls.values():
            if call.killed is None:
                self.assertEqual(call.code, 0, said)
                self.assertIsNotNone(call.entered, call.name)
        lost = self.judge_order(changes, calls)
        killed = [call.killed for call in calls.values() if call.killed]
        say(f"crowd: {len(calls)} calls, {entered} commands, killed: "
            + ", ".join(f"{killed.count(what)} {what}s" for what in sorted(set(killed)))
            + f"; never more than N, in order, {lost} lost a turn; {time.monotonic() - start:.0f} s")
        for name in ("one", "two"):
            waits = sorted((call.ended - call.waiting) / 1e9 for call in calls.values()
                           if call.name.startswith(name) and call.waiting and not call.killed)
            self.assertTrue(waits, "nobody waited")
            say(f"crowd: {name}: {len(waits)} waited, median {waits[len(waits) // 2]:.1f} s, "
                f"at most {waits[-1]:.1f} s")

    def judge_witness(self, changes, calls):
        """Never more than N of a lock; which command ran in which order."""
        full = entered = 0
        for place, change in enumerate(changes):
            self.assertEqual(change.lock, f"lock{change.limit}")
            self.assertLessEqual(change.held, change.limit, vars(change))
            if change.what == "in":
                full += change.held == change.limit
                entered += 1
                calls[change.id].entered, calls[change.id].token = place, change.token
            else:
                calls[change.id].left = place
        self.assertGreater(full, 10, "the limits were never reached")
        return entered

    def judge_order(self, changes, calls):
        """On one machine nobody is admitted before a caller that waited when it called.

        Of two that are admitted one after the other the second may begin first, so the tokens that
        the commands were given tell the order; for the lock with one slot the witness agrees.  A
        caller may take what is left when each waiter before it has a slot to come to.  A waiter
        that leaves a slot free for a second loses its turn (an emulated machine may be that slow),
        and keeps its place.  Answers how many did."""
        alone = [change.token for change in changes if change.what == "in" and change.limit == 1]
        self.assertEqual(alone, sorted(alone))
        ahead = self.clocks_ahead(changes, calls)
        lost = 0
        for first in calls.values():
            before = [second for second in calls.values()
                      if first.waiting and first.ran and second.ran and second.limit == first.limit
                      and second.machine == first.machine and first.waiting < second.called
                      and second.token < first.token
                      and not self.left_enough(changes, calls, first, second)]
            if not before:
                continue
            last = max(second.entered for second in before)
            free = self.longest_free(changes[:last + 1], first.limit,
                                     first.waiting - ahead[first.machine])
            self.assertGreaterEqual(free, TURN_NS, (vars(first), [vars(each) for each in before]))
            lost += 1
        return lost

    def left_enough(self, changes, calls, first, second):
        """Whether so many slots were free that the second took none from those who waited."""
        place = min(first.entered, second.entered)
        free = first.limit - (changes[place].held - 1)
        waiters = [call for call in calls.values()
                   if call.limit == first.limit and call.machine == first.machine and call.waiting
                   and call.waiting < second.called <= call.ended
                   and (not call.ran or call.entered >= place)]
        return free > len(waiters)

    def clocks_ahead(self, changes, calls):
        """Nanoseconds by which each machine's times are ahead of the witness's."""
        ahead = {}
        for call in calls.values():
            if call.left is not None and call.killed is None:
                difference = call.ended - changes[call.left].ns
                ahead[call.machine] = min(difference, ahead.get(call.machine, difference))
        return ahead

    def longest_free(self, changes, limit, since_ns):
        """For how long at a time the lock had a free slot, from then until the last change."""
        longest, free_since = 0, since_ns
        for change in changes:
            if change.lock != f"lock{limit}":
                continue
            held_before = change.held + (1 if change.what == "out" else -1)
            if held_before < limit and change.ns > since_ns:
                longest = max(longest, change.ns - max(free_since, since_ns))
            if change.held < limit <= held_before:
                free_since = change.ns
        return longest
