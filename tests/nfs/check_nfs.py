#!/usr/bin/env python3
"""atmost on a directory of NFS, on two machines: tests/nfs/check_nfs.py IMAGE [TEST...]

IMAGE is what tests/nfs/image wrote; `make check-nfs` does all of it.  Whether a command runs is
told by files that it keeps on its own machine, and by the server's disk; not by our lock files.
"""

import subprocess
import sys
import tempfile
import time
import unittest

from bed import Failed
from crowd import Crowd
from faults import Faults, Restarts
from figures import Figures
from on_nfs import STORE, OnNfs, mount, wait_until
from peers import Others

LEASE_S = OnNfs.LEASE_S
MEASURING = ["Crowd", "Figures"]


class Machines(OnNfs):
    """They do what the other tests rely on."""

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


class Mounts(OnNfs):
    """What is made of a directory by how it is mounted; where it is refused, nothing is left there."""

    # Options, the version that the message names, and words of the reason.
    REFUSED = (
        ("vers=3,hard", "nfs 3", "keeps the locks of a machine without power for ever"),
        ("vers=3,hard,nolock", "nfs 3", "keeps the locks of a machine without power for ever"),
        ("vers=4.0,hard", "nfs 4.0", "seconds after it lost the server"),
        ("vers=4.1,soft", "nfs 4.1", "the mount is soft"),
        ("vers=4.2,softerr", "nfs 4.2", "the mount is soft"),
    )
    TAKEN = ("vers=4.1,hard", "vers=4.2,hard")

    def answer(self, script, expected):
        code, output = self.bed.one.run(script)
        self.assertEqual(code, expected, f"{script}: {output}")
        return output

    def exists_on_the_server(self, name):
        return self.bed.server.run(f"[ -e /disk/export/{name} ]")[0] == 0

    def test_each_is_refused_with_its_reason(self):
        one = self.bed.one
        for options, version, reason in self.REFUSED:
            with self.subTest(options):
                mount(one, options + ",nosharecache", "/mnt/other")
                try:
                    output = self.answer("atmost run /mnt/other/refused.lock -- true", 74)
                    self.assertIn(f"locks on this filesystem ({version}) cannot be trusted: ",
                                  output)
                    self.assertIn(reason, output)
                    self.assertIn("-o vers=4.2,hard is better", output)
                    self.assertEqual(output.count("\n"), 1, output)
                    output = self.answer("atmost run --store shared:/mnt/other refused -- true", 74)
                    self.assertIn(reason, output)
                    self.assertIn("mount it with -o vers=4.2,hard", output)
                    self.assertEqual(output.count("\n"), 1, output)
                    self.assertFalse(self.exists_on_the_server("refused.lock"))
                    output = self.answer("atmost doctor /mnt/other", 74)
                    self.assertIn("at /mnt/other, version " + version.split()[1], output)
                    self.assertIn(reason, output)
                finally:
                    # The doctor's trial may be still on its way.
                    one.do("umount -l /mnt/other")

    def test_a_path_on_a_good_mount_is_a_lock_of_all_machines(self):
        """Every way to name it, and every subcommand; the other machine is the witness."""
        one, two = self.bed.one, self.bed.two
        for options in self.TAKEN:
            name = "path" + options[5:8].replace(".", "")
            with self.subTest(options):
                mount(one, options + ",nosharecache", "/mnt/other")
                try:
                    self.share(one, two, name)
                finally:
                    one.do("umount -l /mnt/other")

    def share(self, one, two, name):
        lock = f"/mnt/other/{name}.lock"
        one.do(f"cd /mnt/other; (atmost run --die-with parent -n 1 ./{name}.lock -- "
               f"sh -c 'touch /tmp/{name}; while [ -e /tmp/{name} ]; do sleep 0.1; done'; "
               f"echo $? >/tmp/{name}.code) >/tmp/{name}.out 2>&1 &")
        wait_until(one, f"[ -e /tmp/{name} ]")
        self.assertEqual(two.run(f"atmost run --store {STORE} {name} -- true")[0], 75)
        self.assertEqual(two.run(f"atmost run -q /mnt/hard/{name}.lock -- true")[0], 75)
        self.assertEqual(two.run(f"atmost run -q --dir /mnt/hard {name} -- true")[0], 75)
        self.assertEqual(two.run(f"ATMOST_DIR=/mnt/hard atmost run -q {name} -- true")[0], 75)
        self.assertEqual(two.run(f"cd /mnt/hard && atmost run -q ./{name}.lock -- true")[0], 75)
        self.assertIn("@one", two.do(f"atmost list --dir /mnt/hard {name}"))
        self.assertIn("@one", two.do(f"atmost list /mnt/hard/{name}.lock"))
        self.assertEqual(two.run(f"atmost check -n 1 /mnt/hard/{name}.lock")[0], 75)
        # The command is stopped by its own machine.
        two.do(f"atmost kill /mnt/hard/{name}.lock")
        wait_until(one, f"[ -s /tmp/{name}.code ]")
        self.assertNotEqual(one.do(f"cat /tmp/{name}.code"), "0\n")
        one.do(f"rm /tmp/{name}")
        self.answer(f"atmost run {lock} -- true", 0)
        self.answer(f"atmost run --exec {lock} -- touch /tmp/execed", 64)
        self.answer(f"atmost hold --for-pid $$ {lock}", 64)
        self.assertNotEqual(one.run("[ -e /tmp/execed ]")[0], 0)
        self.answer(f"atmost run /mnt/other/new/deep/{name}.lock -- true", 73)
        self.answer(f"atmost run --dir /mnt/other/new/deep {name} -- true", 0)
        self.assertTrue(self.exists_on_the_server(f"new/deep/{name}.lock"))
        self.bed.server.do("rm -r /disk/export/new")
        said = one.do(f"atmost history {lock}")
        self.assertIn(name, said)
        self.assertFalse(self.exists_on_the_server("history.jsonl"))
        self.assertIn("/mnt/other", self.answer("atmost doctor /mnt/other", 0))
        atom = (f'[[atom]]\\noperator = "once"\\noperand = "{name}"\\nif_elapsed = "1h"\\n'
                f'command = ["touch", "/tmp/{name}.passed"]\\n')
        for machine in (one, two):
            machine.do(f"printf '{atom}' >/tmp/{name}.pass")
        one.do(f"atmost pass --dir /mnt/other /tmp/{name}.pass")
        two.run(f"ATMOST_DIR=/mnt/hard atmost pass /tmp/{name}.pass")
        one.do(f"[ -e /tmp/{name}.passed ]")
        two.do(f"[ ! -e /tmp/{name}.passed ]")

    def test_a_directory_that_cannot_be_made(self):
        one = self.bed.one
        mount(one, "vers=4.2,hard,ro,nosharecache", "/mnt/other")
        try:
            output = self.answer("atmost run --store shared:/mnt/other/new/deep x -- true", 73)
            self.assertIn("/mnt/other/new: cannot create the directory: Read-only", output)
            output = self.answer("atmost doctor /mnt/other", 73)
            self.assertIn("a file cannot be made", output)
        finally:
            one.do("umount -l /mnt/other")

    def test_a_server_that_squashes_root(self):
        """The usual export: root is told before its locks surprise it."""
        one, server = self.bed.one, self.bed.server
        one.do("mkdir -p /mnt/hard/squashed && chmod 1777 /mnt/hard/squashed")
        self.assertNotIn("root_squash", self.answer("atmost doctor /mnt/hard/squashed", 0))
        server.do("exportfs -o rw,sync,root_squash,no_subtree_check,fsid=0 10.77.0.0/24:/export")
        try:
            self.assertIn("root_squash", self.answer("atmost doctor /mnt/hard/squashed", 0))
            self.answer("atmost run --dir /mnt/hard/squashed x -- true", 77)
            self.answer("atmost run --dir /mnt/hard/squashed --mode 666 y -- true", 0)
            self.answer("atmost run --dir /mnt/hard/squashed y -- true", 0)
        finally:
            server.do("exportfs -ra")

    def test_a_machine_that_is_cut_off_runs_on_beside_the_next(self):
        """What --trust-fs leaves out: nothing stops the command there."""
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


def groups():
    """Classes by the lease of the server that each needs: they share machines."""
    found = {}
    for each in globals().values():
        if isinstance(each, type) and issubclass(each, OnNfs) and each is not OnNfs:
            found.setdefault(each.LEASE_S, []).append(each.__name__)
    return list(found.values())


def all_of_them():
    """Those that measure have the computer to themselves. The others mostly wait for leases to end,
    so their machines run side by side; what each group says is shown when it has ended."""
    command = [sys.executable, __file__, OnNfs.IMAGE]
    codes = [subprocess.call(command + MEASURING)]
    started = []
    for names in groups():
        rest = [name for name in names if name not in MEASURING]
        words = tempfile.TemporaryFile()
        started.append((subprocess.Popen(command + rest, stdout=words, stderr=words), words))
    for process, words in started:
        codes.append(process.wait())
        words.seek(0)
        sys.stderr.write(words.read().decode(errors="replace"))
    return max(abs(code) for code in codes)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: check_nfs.py IMAGE [TEST...]")
    OnNfs.IMAGE = sys.argv.pop(1)
    if len(sys.argv) == 1:
        sys.exit(all_of_them())
    try:
        unittest.main(verbosity=2)
    finally:
        OnNfs.end()
