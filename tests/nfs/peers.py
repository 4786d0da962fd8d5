"""Others that use the same files: exectimes and what has locks of its own; a process with the id of
a holder on the other machine; and the contract of all stores, on NFS."""

import time

from on_nfs import STORE, Job, OnNfs, Witness, say, wait_until


class Others(OnNfs):
    LEASE_S = 15

    def test_four_programs_with_one_file(self):
        """exectimes, atmost and a program of another kind limit one another on two machines."""
        limit, each = 3, 8
        witness = Witness(self.bed.server, "others")
        programs = {
            "exectimes": (self.bed.one, f"exectimes /mnt/hard/others {limit}"),
            "atmost": (self.bed.one, f"atmost run -q --no-history -n {limit} /mnt/hard/others --"),
            "peer": (self.bed.two, f"peer run /mnt/hard/others {limit}"),
            "atmost2": (self.bed.two, f"atmost run -q --no-history -n {limit} /mnt/hard/others --"),
        }
        for name, (machine, program) in programs.items():
            machine.do(f"(for i in $(seq {each}); do until {program} {witness.sign('others', limit, name, 400)};"
                       f" do sleep 0.1; done; done; touch /tmp/{name}.done) >/tmp/{name}.out 2>&1 &")
        for name, (machine, _) in programs.items():
            wait_until(machine, f"[ -e /tmp/{name}.done ]", 120)
        held = [change.held for change in witness.changes()]
        entered = [change.id for change in witness.changes() if change.what == "in"]
        self.assertLessEqual(max(held), limit)
        self.assertEqual(sorted(set(entered)), sorted(programs))
        self.assertEqual(len(entered), each * len(programs))
        say(f"others: {len(entered)} commands of {len(programs)} programs, "
            f"{held.count(limit)} times {limit} at once, never more")

    def test_a_process_with_the_same_id_here_is_not_signalled(self):
        one, two = self.bed.one, self.bed.two
        for round, (taker, code) in enumerate((("atmost kill --kill-grace 1s --store {} ids", 0),
                            ("atmost run --store {} --on-busy=replace ids -- true", 0),
                            ("atmost run --store {} --expire-after 1s ids -- true", 0),
                            ("atmost kill --overdue --kill-grace 1s --store {} ids", 0))):
            with self.subTest(taker):
                name = "ids" + str(time.monotonic_ns())
                # Ids that are free on the other machine.
                one.do(f"echo {20000 + 500 * round} >/proc/sys/kernel/ns_last_pid")
                holder = Job(one, "ids", name, "--kill-grace 1s --expire-after 1s").wait_for_start()
                ids = (holder.monitor(), holder.supervisor(), holder.command())
                two.do(f"peer stand {' '.join(ids)} >/tmp/{name}.stood & echo $! >/tmp/{name}.stands")
                wait_until(two, f"[ -s /tmp/{name}.stood ]")
                time.sleep(1.5)  # so that it is overdue
                got, said = two.run(taker.format(STORE))
                self.assertEqual(got, code, said)
                self.assertNotEqual(holder.wait_for_end()[0], 0)
                self.assertFalse(holder.runs())
                time.sleep(0.5)
                self.assertEqual(two.do(f"cat /tmp/{name}.stood"), "ready\n")
                two.do(f"for pid in {' '.join(ids)}; do [ -e /proc/$pid ] || exit 1; done")
                two.do(f"kill -9 $(cat /tmp/{name}.stands)")

    def test_a_machine_with_a_wrong_clock(self):
        """What goes by clocks is refused there; the rest works, in both directions."""
        one, two = self.bed.one, self.bed.two
        for ahead, words in ((90, "ahead of the server's"), (-90, "behind the server's")):
            name = "clock" + words[:5]
            two.set_clock(ahead)
            try:
                for option in ("--if-elapsed 1m", "--rate 1/1m", "--expire-after 1m"):
                    code, said = two.run(f"atmost run {option} --store {STORE} {name} -- touch /tmp/{name}")
                    self.assertEqual(code, 69, said)
                    self.assertIn(words, said)
                two.do(f"[ ! -e /tmp/{name} ]; atmost run -q --store {STORE} {name} -- touch /tmp/{name}")
                for here, there in ((one, two), (two, one)):
                    holder = Job(here, name, f"{name}{here.name}").wait_for_start()
                    self.assertEqual(there.run(f"atmost run -q --store {STORE} {name} -- true")[0], 75)
                    there.do(f"atmost kill --store {STORE} {name}")
                    self.assertEqual(holder.wait_for_end()[0], 79)
            finally:
                two.set_clock()

    def test_the_contract_of_all_stores(self):
        code, said = self.bed.one.run(
            "ATMOST_TESTS_SHARED_DIRECTORY=/mnt/hard contract_shared --gtest_brief=1 2>&1 | tail -n 40;"
            " [ -z \"$(ls -d /mnt/hard/atmost-contract* 2>/dev/null)\" ]", 300)
        self.assertEqual(code, 0, said)
        passed = [line for line in said.splitlines() if "[  PASSED  ]" in line]
        self.assertEqual(len(passed), 1, said)
        say("contract: " + passed[0])
        self.assertNotIn("FAILED", said)
