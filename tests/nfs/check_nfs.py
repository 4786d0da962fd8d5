#!/usr/bin/env python3
"""atmost on a directory of NFS, on two machines: tests/nfs/check_nfs.py IMAGE [TEST...]

IMAGE is what tests/nfs/image wrote; `make check-nfs` does all of it.  Whether a command runs is
told by files that it keeps on its own machine, and by the server's disk; not by our lock files.
"""

import sys
import time
import unittest

from bed import Failed
from crowd import Crowd
from faults import Faults, Restarts
from on_nfs import OnNfs, mount, wait_until

LEASE_S = OnNfs.LEASE_S


class TheBed(OnNfs):
    """The machines do what the other tests rely on."""

    def test_what_one_client_writes_the_other_and_the_server_s_disk_have(self):
        self.bed.one.do("echo seen >/mnt/hard/written && sync /mnt/hard/written")
        self.assertEqual(self.bed.two.do("cat /mnt/hard/written"), "seen\n")
        self.assertEqual(self.bed.server.do("cat /disk/export/written"), "seen\n")

    def test_the_exit_code_and_all_output_of_a_script_arrive(self):
        code, output = self.bed.one.run("seq 20000; exit 3")
        self.assertEqual((code, output.splitlines()[-1]), (3, "20000"))

    def test_a_lock_excludes_the_other_client(self):
        one, two = self.bed.one, self.bed.two
        one.do("atmost run --trust-fs -q /mnt/hard/excluded.lock -- "
               "sh -c 'touch /tmp/runs; while [ -e /tmp/runs ]; do sleep 0.1; done' "
               ">/tmp/excluded.out 2>&1 & ")
        wait_until(one, "[ -e /tmp/runs ]")
        self.assertEqual(two.run("atmost run --trust-fs -q /mnt/hard/excluded.lock -- true")[0], 75)
        one.do("rm /tmp/runs")
        wait_until(two, "atmost run --trust-fs -q /mnt/hard/excluded.lock -- true")

    def test_a_client_that_is_cut_off_blocks_until_it_is_healed(self):
        one = self.bed.one
        self.bed.cut(one)
        try:
            one.do("(echo late >/mnt/hard/late && sync /mnt/hard/late && touch /tmp/late) "
                   ">/dev/null 2>&1 &")
            time.sleep(3)
            self.assertNotEqual(one.run("[ -e /tmp/late ]")[0], 0)
            self.assertNotEqual(self.bed.server.run("[ -e /disk/export/late ]")[0], 0)
        finally:
            self.bed.heal(one)
        wait_until(one, "[ -e /tmp/late ]", timeout=90)
        self.assertEqual(self.bed.server.do("cat /disk/export/late"), "late\n")

    def test_a_stopped_machine_answers_again_when_it_goes_on(self):
        two = self.bed.two
        two.tell("stop")
        try:
            with self.assertRaises((Failed, OSError)):
                two.run("true", timeout=2)
        finally:
            two.tell("cont")
        self.assertEqual(two.run("true")[0], 0)

    def test_the_lock_of_a_machine_without_power_is_free_after_the_lease(self):
        one, two = self.bed.one, self.bed.two
        one.do("atmost run --trust-fs -q /mnt/hard/power.lock -- "
               "sh -c 'touch /tmp/powered; sleep 600' >/dev/null 2>&1 &")
        wait_until(one, "[ -e /tmp/powered ]")
        one.power_off()
        off = time.monotonic()
        try:
            wait_until(two, "atmost run --trust-fs -q /mnt/hard/power.lock -- true",
                       timeout=4 * LEASE_S)
            free = time.monotonic() - off
            print(f"bed: free {free:.1f} s after power-off, lease {LEASE_S} s", file=sys.stderr)
            # The last renewal was earlier than the end.
            self.assertGreater(free, LEASE_S / 2)
        finally:
            one.power_on()
            mount(one, "vers=4.2,hard", "/mnt/hard")


class Mounts(OnNfs):
    """What is said of a directory by how it is mounted; no lock file is left there."""

    # Options, the version that the message names, and words of the reason.
    CASES = (
        ("vers=3,hard", "nfs 3", "keeps the locks of a machine without power for ever"),
        ("vers=3,hard,nolock", "nfs 3", "keeps the locks of a machine without power for ever"),
        ("vers=4.0,hard", "nfs 4.0", "seconds after it lost the server"),
        ("vers=4.1,soft", "nfs 4.1", "the mount is soft"),
        ("vers=4.2,softerr", "nfs 4.2", "the mount is soft"),
        ("vers=4.1,hard", "nfs 4.1", "a machine that it does not hear from"),
        ("vers=4.2,hard", "nfs 4.2", "a machine that it does not hear from"),
    )

    def test_each_is_refused_with_its_reason(self):
        one = self.bed.one
        for options, version, reason in self.CASES:
            with self.subTest(options):
                mount(one, options + ",nosharecache", "/mnt/other")
                try:
                    code, output = one.run("atmost run /mnt/other/refused.lock -- true")
                    self.assertEqual(code, 74, output)
                    self.assertIn(f"locks on this filesystem ({version}) cannot be trusted: ",
                                  output)
                    self.assertIn(reason, output)
                    better = "-o vers=4.2,hard is better"
                    cured = "hear from" not in reason
                    (self.assertIn if cured else self.assertNotIn)(better, output)
                    self.assertEqual(output.count("\n"), 1, output)
                    self.assertNotEqual(
                        self.bed.server.run("[ -e /disk/export/refused.lock ]")[0], 0)
                    code, output = one.run("atmost doctor /mnt/other")
                    self.assertEqual(code, 74, output)
                    self.assertIn("at /mnt/other, version " + version.split()[1], output)
                    self.assertIn(reason, output)
                finally:
                    # What doctor tried may be still on its way.
                    one.do("umount -l /mnt/other")

    def test_a_machine_that_is_cut_off_runs_on_beside_the_next(self):
        """Why the best mount is refused, too; --trust-fs takes it all the same."""
        one, two = self.bed.one, self.bed.two
        run = "atmost run --trust-fs -q /mnt/hard/cut.lock -- "
        one.do(run + "sh -c 'touch /tmp/alone; while [ -e /tmp/alone ]; do"
               " [ ! -e /tmp/ask ] || touch /tmp/answer; sleep 0.1; done' >/dev/null 2>&1 &")
        wait_until(one, "[ -e /tmp/alone ]")
        self.assertEqual(two.run(run + "true")[0], 75)
        self.bed.cut(one)
        try:
            free = wait_until(two, run + "true", timeout=5 * LEASE_S)
            print(f"bed: granted {free:.1f} s after the cut, lease {LEASE_S} s", file=sys.stderr)
            one.do("touch /tmp/ask")
            wait_until(one, "[ -e /tmp/answer ]")
        finally:
            self.bed.heal(one)
            one.do("rm /tmp/alone")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: check_nfs.py IMAGE [TEST...]")
    OnNfs.IMAGE = sys.argv.pop(1)
    unittest.main(verbosity=2)
