"""Three machines under qemu: a server of NFS and two of its clients, for the tests of this folder.

The machines share a network of their own (a multicast socket bound to 127.0.0.1). A second card of
each leads to an agent that runs commands for us, and to nothing else. The actions of a machine on the
first network can be cut without disturbing the second.
"""

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

ADDRESSES = {"server": "10.77.0.1", "one": "10.77.0.2", "two": "10.77.0.3"}
# Seconds that WORK takes under emulation on a computer with nothing else to do.
USUAL_S = 0.7
SLOW = 1.3
WORK = "for i in $(seq 40); do atmost run -q --no-history /tmp/pace.lock -- busybox true; done"
# An address of a card that does not exist.
NOWHERE = "02:00:00:00:00:99"


class Failed(Exception):
    """A machine, or a command on it, did not do what the test needs."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


failed = set()  # accelerators that did not start the machines


def accelerators():
    """What is worth trying, the fastest first."""
    if os.environ.get("ATMOST_NFS_ACCEL"):
        return [os.environ["ATMOST_NFS_ACCEL"]]
    usable = os.access("/dev/kvm", os.R_OK | os.W_OK) and "kvm" not in failed
    return ["kvm", "tcg"] if usable else ["tcg"]


class Machine:
    """One machine. `run` blocks until the command has ended, `timeout` seconds of the bed at most."""

    def __init__(self, bed, name):
        self.bed = bed
        self.name = name
        self.port = free_port()
        self.process = None
        self.console = os.path.join(bed.folder, name + ".console")
        self.monitor = os.path.join(bed.folder, name + ".qmp")

    def start(self, accelerator):
        number = ADDRESSES[self.name].rsplit(".", 1)[1]
        command = [
            # It ends with us, however we end.
            "setpriv", "--pdeathsig", "KILL",
            "qemu-system-x86_64", "-M", "pc", "-accel", accelerator, "-m", "512",
            "-display", "none",
            "-cpu", "host" if accelerator == "kvm" else "max", "-no-reboot", "-nodefaults",
            "-serial", "file:" + self.console,
            "-qmp", f"unix:{self.monitor},server=on,wait=off",
            "-kernel", os.path.join(self.bed.image, "kernel"),
            "-initrd", os.path.join(self.bed.image, "initramfs"),
            "-append", f"console=ttyS0 quiet panic=-1 atmost.name={self.name}"
                       f" atmost.address={ADDRESSES[self.name]} atmost.lease={self.bed.lease}",
            "-netdev", f"socket,id=data,mcast=230.77.0.1:{self.bed.group},localaddr=127.0.0.1",
            "-device", f"virtio-net-pci,netdev=data,mac=02:00:00:77:00:0{number},romfile=",
            "-netdev", f"user,id=control,restrict=on,hostfwd=tcp:127.0.0.1:{self.port}-:7700",
            "-device", "virtio-net-pci,netdev=control,romfile=",
        ]
        if self.name == "server":
            disk = f"file={self.bed.disk},format=raw,if=virtio,cache=writethrough"
            command += ["-drive", disk]
        with open(self.console + ".qemu", "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log)

    def wait_until_up(self, timeout=90):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise Failed(f"{self.name}: qemu ended with {self.process.returncode}")
            try:
                if self.run("true", timeout=5)[0] == 0:
                    return
            except (OSError, Failed):
                time.sleep(0.2)
        raise Failed(f"{self.name}: not up after {timeout} s")

    def run(self, script, timeout=60):
        """(exit code, output) of a script for the machine's /bin/sh."""
        timeout *= self.bed.pace
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as agent:
            end = time.monotonic() + timeout
            agent.sendall(script.encode() + b"\0")
            answer = b""
            while b"\0" not in answer or not answer.endswith(b"\n"):
                agent.settimeout(max(end - time.monotonic(), 0.01))
                try:
                    got = agent.recv(1 << 16)
                except TimeoutError:
                    raise Failed(f"{self.name}: no answer within {timeout} s: {script}") from None
                if not got:
                    raise Failed(f"{self.name}: the connection ended: {script}")
                answer += got
        output, code = answer.rsplit(b"\0", 1)
        return int(code), output.decode(errors="replace")

    def do(self, script, timeout=60):
        """The output of a script that has to succeed."""
        code, output = self.run(script, timeout)
        if code != 0:
            raise Failed(f"{self.name}: {script}: ended with {code}: {output}")
        return output

    def set_clock(self, ahead=0):
        """Sets it to ours, and whole seconds ahead. A machine starts with that of its board, to the second."""
        second = int(time.time()) + 1
        time.sleep(second - time.time())
        self.do(f"date -s @{second + ahead} >/dev/null")

    def tell(self, command):
        """A command of the QEMU monitor protocol: stop, cont, system_reset."""
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.settimeout(10)
            monitor.connect(self.monitor)
            with monitor.makefile("rw") as lines:
                lines.readline()
                for one in ("qmp_capabilities", command):
                    lines.write(json.dumps({"execute": one}) + "\n")
                    lines.flush()
                    while True:
                        answer = json.loads(lines.readline())
                        if "error" in answer:
                            raise Failed(f"{self.name}: {command}: {answer['error']}")
                        if "return" in answer:
                            break

    def power_off(self):
        """As by the plug: nothing is written, nobody is told."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
        if self.process is not None:
            self.process.wait()

    def power_on(self):
        self.start(self.bed.accelerator)
        self.wait_until_up(90 * self.bed.pace)
        self.set_clock()


class Bed:
    """The machines; `with Bed(...) as bed` starts them and ends them with all that they need.

    `pace` is how many seconds the machines need for what usually takes one: measured when they
    start, 1 if that is less than SLOW. Every limit of a wait and the server's lease are in such
    seconds; a turn in a queue, which is the product's, is not."""

    def __init__(self, image, lease=15):
        self.image = image
        self.usual_lease = self.lease = lease
        self.folder = tempfile.mkdtemp(prefix="atmost-nfs-")
        self.disk = os.path.join(self.folder, "disk")
        self.group = random.randint(20000, 29999)
        self.accelerator = None
        self.pace = 1.0
        self.machines = {name: Machine(self, name) for name in ADDRESSES}
        self.server, self.one, self.two = self.machines.values()

    def __enter__(self):
        for accelerator in accelerators():
            try:
                self._start(accelerator)
                return self
            except Failed as failure:
                self._end()
                failed.add(accelerator)
                print(f"bed: with {accelerator}: {failure}", file=sys.stderr)
                if accelerator == "tcg":
                    self._show_consoles()
        shutil.rmtree(self.folder, ignore_errors=True)
        raise Failed("no accelerator of qemu starts the machines")

    def __exit__(self, kind, value, trace):
        if kind is not None:
            self._show_consoles()
        self._end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self, accelerator):
        shutil.copyfile(os.path.join(self.image, "disk"), self.disk)
        self.accelerator = accelerator
        for machine in self.machines.values():
            machine.start(accelerator)
        for machine in self.machines.values():
            machine.wait_until_up(20 if accelerator == "kvm" else 300)
            machine.set_clock()
        self.pace = self._measure_pace()
        if self.pace > 1.0:
            self.lease = round(self.usual_lease * self.pace)
            self.server.power_off()
            self.server.power_on()

    def _measure_pace(self):
        """Both clients work at once, as in the tests."""
        took = []

        def work(machine):
            start = time.monotonic()
            machine.do(WORK, timeout=120)
            took.append(time.monotonic() - start)

        threads = [threading.Thread(target=work, args=(each,)) for each in (self.one, self.two)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if len(took) != 2:
            raise Failed("a machine did not do its work")
        pace = max(took) / USUAL_S
        return pace if pace > SLOW else 1.0

    def _end(self):
        for machine in self.machines.values():
            machine.power_off()

    def _show_consoles(self):
        for machine in self.machines.values():
            for path in (machine.console, machine.console + ".qemu"):
                if os.path.exists(path):
                    with open(path, errors="replace") as console:
                        for line in console.readlines()[-15:]:
                            print(f"{machine.name}: {line.rstrip()}", file=sys.stderr)

    def cut(self, machine):
        """Ends all traffic between a client and the server, both ways, without a word to either."""
        machine.do(f"arp -s {ADDRESSES['server']} {NOWHERE}")
        self.server.do(f"arp -s {ADDRESSES[machine.name]} {NOWHERE}")

    def heal(self, machine):
        machine.do(f"arp -d {ADDRESSES['server']}")
        self.server.do(f"arp -d {ADDRESSES[machine.name]}")
