"""What the store costs: times of one run beside flock(1), and calls to the server, counted by the
kernel (/proc/self/mountstats).  Only the counts are judged."""

import time

from on_nfs import STORE, Job, OnNfs, Witness, say, wait_until


def calls(machine):
    """What the machine has asked of the server so far, by operation; its renewals of the NFS lease left out."""
    counts = {}
    mounted = False
    for line in machine.do("cat /proc/self/mountstats").splitlines():
        if line.startswith("device "):
            mounted = " mounted on /mnt/hard " in line
        words = line.split()
        if mounted and len(words) > 8 and words[0].endswith(":") and words[0][:-1].isupper():
            counts[words[0][:-1]] = int(words[1])
    counts.pop("SEQUENCE", None)
    counts.pop("RENEW", None)
    return counts


def asked(machine, script, times=1):
    """The calls of one run of the script, of `times`, by operation."""
    before = calls(machine)
    machine.do(f"for i in $(seq {times}); do {script} || exit; done", 120)
    after = calls(machine)
    return {name: round((count - before[name]) / times, 1) for name, count in after.items()
            if count > before[name]}


def in_words(counts):
    return f"{sum(counts.values()):.0f} ({', '.join(f'{n} {c:g}' for n, c in sorted(counts.items()))})"


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


class Figures(OnNfs):
    LEASE_S = 15

    def test_calls_to_the_server(self):
        one, two = self.bed.one, self.bed.two
        run = f"atmost run -q --no-history --store {STORE} -n 300 calls -- true"
        one.do(run)
        sums = {}
        for held, first, count in ((0, 0, 0), (10, 1, 10), (200, 11, 190)):
            if count:
                two.do(f"peer hold /mnt/hard/calls.lock {first} {count} >/tmp/held{held} 2>&1 & echo $! >>/tmp/peers")
                wait_until(two, f"[ -s /tmp/held{held} ]")
            counts = asked(one, run, 5)
            sums[held] = sum(counts.values())
            say(f"calls of an admission beside {held} held: {in_words(counts)}")
        say("calls of a refusal beside 200 held: " + in_words(asked(
            one, f"atmost run -q --no-history --store {STORE} -n 200 calls -- true; [ $? = 75 ]", 5)))
        two.do("kill $(cat /tmp/peers)")
        self.assertLess(sums[0], 60)
        self.assertLess(sums[200], 120)

    def test_calls_while_a_job_runs_and_while_others_wait(self):
        one, two = self.bed.one, self.bed.two
        holder = Job(one, "pulse", "pulse", "--ttl 12s").wait_for_start()
        sums = [self.calls_a_minute(one, "a holder (ttl 12 s)")]
        waiters = []
        for name, who in (("first", "the first waiter"), ("second", "two waiters"), ("third", "three waiters")):
            waiters.append(Job(two, "pulse", name, "--ttl 12s -v -w inf"))
            wait_until(two, f"grep -q waiting /tmp/{name}.out")
            sums.append(self.calls_a_minute(two, who))
        holder.finish()
        for waiter in waiters:
            waiter.wait_for_start().finish()
        self.assertLess(sums[0], 200)
        self.assertLess(sums[1], 1500)
        self.assertLess(sums[3] - sums[2], sums[1])

    def calls_a_minute(self, machine, who):
        before, start = calls(machine), time.monotonic()
        time.sleep(10)
        after, minutes = calls(machine), (time.monotonic() - start) / 60
        counts = {name: round((count - before[name]) / minutes) for name, count in after.items()
                  if count > before[name]}
        say(f"calls a minute of {who}: {in_words(counts)}")
        return sum(counts.values())

    def test_lock_and_unlock_beside_flock(self):
        one = self.bed.one
        one.do("touch /mnt/hard/flocked")
        programs = {
            "true": "busybox true",
            "flock(1)": "flock /mnt/hard/flocked busybox true",
            "run --store shared:": f"atmost run -q --no-history --store {STORE} beside -- busybox true",
            "run --trust-fs": "atmost run -q --no-history --trust-fs /mnt/hard/plain.lock -- busybox true",
        }
        took = {name: [] for name in programs}
        for _ in range(3):
            for name, program in programs.items():
                start = time.monotonic()
                one.do(f"for i in $(seq 15); do {program}; done", 120)
                took[name].append((time.monotonic() - start) / 15)
        medians = {name: sorted(times)[1] for name, times in took.items()}
        floor = medians.pop("true")
        for name, seconds in medians.items():
            ratio = (seconds - floor) / (medians["flock(1)"] - floor)
            say(f"lock and unlock: {name}: {1000 * (seconds - floor):.1f} ms more than no lock, "
                f"{ratio:.2f} of flock(1)")

    def handoffs(self, name, callers, each, millis):
        """Seconds between the end of one command and the start of the next, as the server saw them."""
        witness = Witness(self.bed.server, name)
        for machine in (self.bed.one, self.bed.two):
            call = (f"atmost run -q --no-history --store {STORE} -w inf {name} -- "
                    + witness.sign(name, 1, machine.name, millis))
            machine.do(f"rm -f /tmp/{name}.done; (for k in $(seq {callers}); do (for i in $(seq {each}); do {call}; done) & "
                       f"done; wait; touch /tmp/{name}.done) >/tmp/{name}.out 2>&1 &")
        for machine in (self.bed.one, self.bed.two):
            wait_until(machine, f"[ -e /tmp/{name}.done ]", 180)
            self.assertEqual(machine.do(f"cat /tmp/{name}.out"), "")
        changes = witness.changes()
        self.assertLessEqual(max(change.held for change in changes), 1)
        return [(after.ns - before.ns) / 1e9 for before, after in zip(changes, changes[1:])
                if before.what == "out" and after.what == "in"]

    def test_handoff(self):
        for name, callers, each, millis in (("one", 1, 12, 700), ("fifty", 26, 1, 150)):
            gaps = self.handoffs("handoff-" + name, callers, each, millis)
            settled = gaps[2:] if callers == 1 else gaps[-30:]
            say(f"handoff, {name} waiting: median {1000 * quantile(settled, 0.5):.0f} ms, "
                f"p99 {1000 * quantile(settled, 0.99):.0f} ms of {len(settled)}")
