#!/usr/bin/env python3
"""A storm: callers with random options, their processes killed at random, an outside witness.

    storm_witness.py STARTS [SEED]

Every command of a lock has an exclusive flock(2) on a file of the witness for as long as it is
inside, which no part of atmost knows. If it finds another one there, the exclusion is broken. (With
--close a command may outlive the hold of a killed supervisor: it has a file of its own.)
Supervisors, commands and takers are killed, stopped and told to end at random moments. No program
of ours may end by a fault, and every run whose supervisor lived to see its end has exactly one line
of its end in the history. Works in the current directory; atmost is found in PATH.
"""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time

WORKERS = 6
LOCKS = 4
LONG = 300
FAULTS = {-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT, -signal.SIGILL, -signal.SIGFPE,
          128 + signal.SIGSEGV}
# Kills from outside that hit the supervisor, the command or both.
HITS = [("supervisor", signal.SIGTERM), ("supervisor", signal.SIGINT),
        ("supervisor", signal.SIGHUP), ("supervisor", signal.SIGKILL),
        ("command", signal.SIGKILL), ("command", signal.SIGTERM), ("command", signal.SIGINT),
        ("command", signal.SIGSTOP), ("supervisor", signal.SIGSTOP)]

# argv: the witness's file, where to write, how long, the exit code, the flock's mode, whether a
# child lives longer. The child is there before the flock is taken: one that had it for a moment
# could outlive a command that is killed.
COMMAND = r"""
if ($ARGV[5] && !fork) { select undef, undef, undef, 2 * $ARGV[2]; exit 0 }
open F, ">>", $ARGV[0];
if (!flock F, $ARGV[4] eq "shared" ? 5 : 6) {
  open B, ">>", "$ARGV[0].broken"; print B "$ENV{ATMOST_TOKEN}\n"; exit 9
}
open U, ">", $ARGV[1]; print U "$$\n"; close U;
select undef, undef, undef, $ARGV[2];
exit $ARGV[3]
"""


class Storm:
    def __init__(self, starts, seed):
        self.rng = random.Random(seed)
        self.left = starts
        self.lock = threading.Lock()
        self.wrong = []
        self.codes = {}
        self.began = time.monotonic()

    # Locks: four for one at a time, one with readers and writers, one for several at a time.
    def lock_options(self, rng):
        name = rng.choice([f"lock{rng.randrange(LOCKS)}"] * 4 + ["modes", "wide"])
        if name == "modes":
            return name, [rng.choice(["--shared", "--exclusive"])]
        if name == "wide":
            return name, rng.choice([["-n", "3"], ["-n", "3", "-k", "2"], ["-n", "2"]])
        return name, ["--exclusive"] if rng.random() < 0.1 else []

    def options(self, rng):
        if rng.random() < 0.05:
            return ["--exec", *rng.choice([[], ["--expire-after", "5ms"],
                                           ["--until", "close"], ["-w", "1"]])]
        chosen = []
        def maybe(chance, *words):
            if rng.random() < chance:
                chosen.extend(words)
        maybe(0.5, "--expire-after", rng.choice(["0", "5ms", "20ms", "300ms", "auto"]))
        maybe(0.3, "--max-runtime", rng.choice(["10ms", "30ms", "300ms", "auto"]))
        maybe(0.1, "--max-idle", "1s")
        maybe(0.4, "-w", rng.choice(["0.05", "1", "5"]))
        maybe(0.1, "--if-elapsed", rng.choice(["5ms", "auto"]))
        maybe(0.1, "--rate", "50/1s")
        maybe(0.1, "--on-too-soon", rng.choice(["skip", "wait", "fail"]))
        if "--expire-after" not in chosen:
            maybe(0.3, "--on-busy", rng.choice(["skip", "replace", "join", "supersede"]))
            if chosen[-1:] in (["join"], ["supersede"]) and "-w" not in chosen:
                chosen.extend(["-w", "1"])
        maybe(0.2, "--until", rng.choice(["tree", "main"]))
        maybe(0.1, "--close")
        maybe(0.1, "--with-flock")
        if "-w" in chosen:
            maybe(0.1, "--queue-max", "20")
            maybe(0.1, "--expire-idle", "2s")
            maybe(0.1, "--progress", rng.choice(["auto", "lines"]))
        if "--if-elapsed" in chosen:
            maybe(0.3, "--elapsed-from", rng.choice(["finish", "success"]))
            if "auto" not in chosen:
                maybe(0.3, "--slack", "0.5ms")
        if "--output" in chosen:
            maybe(0.3, "--output-max", "64K")
        if "auto" in chosen:
            maybe(0.3, "--auto-min", "5ms")
            maybe(0.3, "--auto-max", "1m")
            maybe(0.3, "--auto-risk", "10")
        if rng.random() < 0.05:
            chosen.extend(["--notify", "true", "--notify-on", "every"])
        maybe(0.1, "--env", "SLOT_OF_MINE=slots")
        maybe(0.05, "--log-args")
        maybe(0.05, "--busy-exit-code", "75")
        maybe(0.05, "-v")
        maybe(0.2, "--output", rng.choice(["tail", "on-failure"]))
        maybe(0.1, "--min-runtime", "1ms")
        maybe(0.1, "--on-lost", rng.choice(["stop", "warn"]))
        maybe(0.1, "--alert-after", "3")
        maybe(0.05, "--splay", "5ms")
        maybe(0.1, "--also", os.path.abspath(f"also{rng.randrange(2)}"))
        maybe(0.1, "--json")
        maybe(0.1, "-q")
        maybe(0.05, "--no-learn")
        maybe(0.05, "--die-with", "parent")
        maybe(0.05, "--status-fd", "2")
        maybe(0.05, "--trust-fs")
        maybe(0.05, "--host", "elsewhere")
        maybe(0.05, "--mode", "0600")
        maybe(0.05, "--store", "file:")
        maybe(0.05, "--dir", os.getcwd())
        maybe(0.05, "--now", f"{time.time():.6f}")
        maybe(0.02, "--ping", "http://127.0.0.1:9/")  # discard: nobody listens there
        maybe(0.02, "--no-history")
        return chosen

    def start(self, number, rng):
        name, locks = self.lock_options(rng)
        mark = os.path.abspath(f"up{number}")
        options = locks + self.options(rng)
        code = rng.choice([0, 0, 0, 3])
        apart = name == "wide" or "--close" in options
        place = f"inside.{number if apart else name}"
        command = ["perl", "-e", COMMAND, os.path.abspath(place), mark,
                   f"{rng.uniform(0, 0.05):.3f}", str(code),
                   "shared" if "--shared" in locks else "alone", rng.choice(["", "1"])]
        if rng.random() < 0.06:
            argv = ["atmost", "kill", "--kill-grace", "20ms", os.path.abspath(name)]
            options = []
        else:
            argv = ["atmost", "run", "--log", os.path.abspath("history"), "--kill-grace", "20ms",
                    "--id", f"n{number}", *options, os.path.abspath(name), "--", *command]
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        killed = self.hit(process, mark, rng) if rng.random() < 0.4 else False
        words = process.communicate(timeout=LONG)[1].decode(errors="replace")
        with self.lock:
            key = process.returncode
            self.codes[key] = self.codes.get(key, 0) + 1
            if process.returncode in FAULTS:
                self.wrong.append(f"n{number} ended by a fault, {key}: {argv}: {words}")
            if "ERROR: AddressSanitizer" in words or "runtime error:" in words:
                self.wrong.append(f"n{number}: {argv}: {words}")
            if process.returncode in (70, 74):
                self.wrong.append(f"n{number} ended with {process.returncode}: {argv}: {words}")
        if os.path.exists(mark):
            os.unlink(mark)
            # A taker may have had to kill the supervisor, too.
            silent = killed or "--exec" in options or "--no-history" in options
            if not silent and process.returncode != -signal.SIGKILL:
                return f"n{number}"
        return None

    # True if the supervisor may have died before its report.
    def hit(self, process, mark, rng):
        who, number = rng.choice(HITS)
        time.sleep(rng.uniform(0, 0.06))
        target = process.pid
        if who == "command":
            try:
                with open(mark, encoding="ascii") as file:
                    target = int(file.read() or 0)
            except FileNotFoundError:
                return False
            # Only a child of that supervisor, or of nobody else, is the command.
            if not target or not self.is_below(target, process.pid):
                return False
        try:
            os.kill(target, number)
            if number == signal.SIGSTOP:
                time.sleep(rng.uniform(0, 0.03))
                os.kill(target, signal.SIGCONT)
        except ProcessLookupError:
            pass
        return who == "supervisor" and number == signal.SIGKILL

    @staticmethod
    def is_below(pid, ancestor):
        while pid > 1:
            try:
                with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
                    pid = int(file.read().rsplit(")", 1)[1].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                return False
            if pid == ancestor:
                return True
        return False

    def work(self, seen):
        while True:
            with self.lock:
                if self.left == 0 or self.wrong:
                    return
                self.left -= 1
                number, own = self.left, random.Random(self.rng.randrange(1 << 40))
            try:
                began = self.start(number, own)
            except Exception as error:  # pylint: disable=broad-except
                with self.lock:
                    self.wrong.append(f"n{number}: {error!r}")
                return
            if began is not None:
                with self.lock:
                    seen.append(began)

    def judge(self, seen):
        ended = {}
        for file in sorted(os.listdir(".")):
            if not file.startswith("history"):
                continue
            with open(file, encoding="utf-8") as log:
                for text in log:
                    line = json.loads(text)
                    if line["event"] == "ended":
                        key = (line.get("id"), line["lock"])
                        ended[key] = ended.get(key, 0) + 1
        reported = {name for name, _ in ended}
        for name in seen:
            if name not in reported:
                self.wrong.append(f"{name} ran, and the history has no end of it")
        for key, count in ended.items():
            if count > 1:
                self.wrong.append(f"{key} ended {count} times")
        if self.codes.get(64, 0) * 5 > sum(self.codes.values()):
            self.wrong.append("too many options exclude each other")
        for name in os.listdir("."):
            if name.endswith(".broken"):
                self.wrong.append(f"{name}: two were inside at once")


def main():
    starts = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    os.environ["ATMOST_DIR"] = os.getcwd()
    storm, seen = Storm(starts, seed), []
    workers = [threading.Thread(target=storm.work, args=(seen,)) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    storm.judge(seen)
    took = time.monotonic() - storm.began
    print(f"{starts - storm.left} starts in {took:.0f} s, seed {seed}, {len(seen)} checked; "
          f"codes {dict(sorted(storm.codes.items()))}")
    for line in storm.wrong[:5]:
        print(line)
    return 1 if storm.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
