"""What happens to a running job, and to the next one, when something of the fleet fails.

The gap is between the last sign of the old job and the first one of the next (sign.c), by the
clocks of their machines, each of which was compared with ours. It must not be negative: then both
ran at once.
"""

import time

from bed import Failed
from on_nfs import Job, OnNfs, clock_ahead, mount, say, wait_until

# Of the comparison of two clocks, over a network of 1 to 10 ms.
CLOCK_S = 0.03


class WithAHolder(OnNfs):
    TTL_S = 20

    @property
    def ttl(self):
        """A slow machine renews its lease late: the lease is as much longer."""
        return f"--ttl {self.TTL_S * self.bed.pace:.0f}s --kill-grace 2s"

    def judged(self, what, last, following, at_least=0.0, at_most=None):
        gap = following.signs()[0] - last
        say(f"{what}: the next job ran {gap:.2f} s after the last sign")
        self.assertGreaterEqual(gap, at_least - CLOCK_S)
        if at_most is not None:
            self.assertLess(gap, at_most * self.bed.pace)

    def both(self, lock):
        """A holder on machine one, and on machine two a waiter behind it."""
        holder = Job(self.bed.one, lock, lock, self.ttl).wait_for_start()
        waiter = Job(self.bed.two, lock, lock, self.ttl + " -v -w inf")
        wait_until(self.bed.two, f"grep -q waiting /tmp/{lock}.out")
        return holder, waiter


class Faults(WithAHolder):
    LEASE_S = 30

    def is_dead(self, holder):
        """It has no memory left, so it executes nothing. It may still have to close files that its
        server does not answer for; until then it is in the table of processes."""
        pid = holder.command()
        wait_until(self.bed.one, f"[ ! -e /proc/{pid} ] || ! grep -q VmSize /proc/{pid}/status", 60)
        self.assertFalse(holder.runs())

    def test_a_command_that_is_killed(self):
        holder, waiter = self.both("command")
        self.bed.one.do(f"kill -9 {holder.command()}")
        waiter.wait_for_start()
        self.judged("kill -9 of the command", holder.signs()[1], waiter, at_most=10)
        self.assertEqual(holder.wait_for_end()[0], 137)
        waiter.finish()

    def test_a_supervisor_that_is_killed(self):
        holder, waiter = self.both("supervisor")
        self.bed.one.do(f"kill -9 {holder.supervisor()}")
        waiter.wait_for_start()
        self.judged("kill -9 of the supervisor", holder.signs()[1], waiter, at_most=10)
        self.assertFalse(holder.runs())
        waiter.finish()

    def test_a_monitor_that_is_killed(self):
        holder, waiter = self.both("monitor")
        self.bed.one.do(f"kill -9 {holder.monitor()}")
        waiter.wait_for_start()
        self.judged("kill -9 of the monitor", holder.signs()[1], waiter, at_most=10)
        self.assertFalse(holder.runs())
        waiter.finish()

    def test_a_supervisor_that_is_frozen(self):
        holder, waiter = self.both("frozen")
        self.bed.one.do(f"kill -STOP {holder.supervisor()}")
        waiter.wait_for_start(90)
        self.judged("SIGSTOP of the supervisor", holder.signs()[1], waiter)
        self.assertFalse(holder.runs())
        waiter.finish()

    def test_a_waiter_that_is_killed(self):
        holder, waiter = self.both("waiter")
        behind = Job(self.bed.two, "waiter", "behind", self.ttl + " -v -w inf")
        wait_until(self.bed.two, "grep -q waiting /tmp/behind.out")
        self.bed.two.do(f"kill -9 {waiter.supervisor()}")
        holder.finish()
        behind.wait_for_start()
        self.judged("kill -9 of the first waiter", holder.signs()[1], behind, at_most=10)
        behind.finish()

    def test_a_machine_without_power(self):
        holder, waiter = self.both("power")
        del holder
        self.bed.one.power_off()
        off = time.time()
        try:
            waiter.wait_for_start(4 * self.LEASE_S)
            # The server's lease runs from the machine's last renewal.
            self.judged("power-off", off, waiter, at_least=self.bed.lease / 3)
        finally:
            self.bed.one.power_on()
            mount(self.bed.one, "vers=4.2,hard", "/mnt/hard")
        waiter.finish()

    def test_a_machine_that_is_cut_off_for_75_s(self):
        holder, waiter = self.both("cut")
        self.bed.cut(self.bed.one)
        cut = time.time()
        try:
            self.is_dead(holder)
            say(f"cut: the last sign came {holder.signs()[1] - cut:.1f} s after the cut")
            waiter.wait_for_start(4 * self.LEASE_S)
            time.sleep(max(0, cut + 75 * self.bed.pace - time.time()))
        finally:
            self.bed.heal(self.bed.one)
        code, said = holder.wait_for_end(90)
        self.assertEqual(code, 79, said)
        self.judged("cut for 75 s", holder.signs()[1], waiter)
        waiter.finish()
        wait_until(self.bed.one, "atmost run -q --store shared:/mnt/hard cut -- true", 90)

    def test_a_server_that_is_cut_off(self):
        """All of its clients lose it; a waiter waits on."""
        holder, waiter = self.both("server")
        for client in (self.bed.one, self.bed.two):
            self.bed.cut(client)
        try:
            self.is_dead(holder)
            # Longer than the server's lease.
            time.sleep(self.bed.lease)
        finally:
            for client in (self.bed.one, self.bed.two):
                self.bed.heal(client)
        code, said = holder.wait_for_end(90)
        self.assertEqual(code, 79, said)
        waiter.wait_for_start(180)
        self.judged("the server cut off", holder.signs()[1], waiter)
        waiter.finish()

    def test_a_machine_that_is_paused_is_refused_by_its_token(self):
        one, two = self.bed.one, self.bed.two
        two.do("mkdir -p /mnt/hard/fenced")
        holder = Job(one, "paused", "paused", self.ttl).wait_for_start()
        token = one.do(f"tr '\\0' '\\n' </proc/{holder.command()}/environ | grep ^ATMOST_TOKEN=").strip()
        waiter = Job(two, "paused", "paused", self.ttl + " -v -w inf")
        wait_until(two, "grep -q waiting /tmp/paused.out")
        one.tell("stop")
        stopped = time.time()
        try:
            waiter.wait_for_start(4 * self.LEASE_S)
            new = two.do(f"tr '\\0' '\\n' </proc/{waiter.command()}/environ | grep ^ATMOST_TOKEN=").strip()
            say(f"paused: the next job ran {waiter.signs()[0] - stopped:.1f} s after the pause began")
            two.do(f"{new} atmost fence /mnt/hard/fenced/file -- true")
        finally:
            one.tell("cont")
        goes_on = time.time()
        code, said = holder.wait_for_end(90)
        holder.ahead = clock_ahead(one)
        say(f"paused: the old job's last sign came {holder.signs()[1] - goes_on:.2f} s after the machine went on")
        self.assertIn(code, (79, 137), said)
        wait_until(one, "[ -e /mnt/hard/fenced/file ]", 90)
        code, said = one.run(f"{token} atmost fence /mnt/hard/fenced/file -- touch /mnt/hard/fenced/stale")
        self.assertEqual(code, 79, said)
        self.assertEqual(self.bed.server.run("[ -e /disk/export/fenced/stale ]")[0], 1)
        waiter.finish()


class Restarts(WithAHolder):
    LEASE_S = 60
    TTL_S = 50  # outlasts a restart of the server's machine under emulation

    def restarted(self, lock, restart):
        """Holders keep their locks, waiters wait on, newcomers are told."""
        holder, waiter = self.both(lock)
        restart()
        began = time.monotonic()
        code, said = self.bed.two.run("atmost run --store shared:/mnt/hard newcomer -- true", 60)
        say(f"{lock}: a newcomer got {code} after {time.monotonic() - began:.1f} s: {said.strip()}")
        if code != 0:
            self.assertEqual(code, 69, said)
            self.assertIn("does not answer, or restarted and grants no lock", said)
        granted = wait_until(self.bed.two, "atmost run -q --store shared:/mnt/hard newcomer -- true", 180)
        say(f"{lock}: a newcomer was admitted {granted:.1f} s later")
        self.assertTrue(holder.runs())
        self.assertEqual(self.bed.two.run(f"[ -s {waiter.file} ]")[0], 1)
        holder.finish()
        waiter.wait_for_start(90)
        self.judged(lock, holder.signs()[1], waiter)
        waiter.finish()

    def test_the_server_s_service_restarts(self):
        self.restarted("nfsd-restart", lambda: self.bed.server.do("rpc.nfsd 0; rpc.nfsd 8"))

    def test_the_server_s_machine_restarts(self):
        def restart():
            self.bed.server.power_off()
            self.bed.server.power_on()
        self.restarted("server-reboot", restart)
