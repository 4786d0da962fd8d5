#!/usr/bin/env python3
"""Commands that end within milliseconds of something that stops them.

    endings_witness.py COUNT [SEED]

Each run has a supervisor with a history, a notification and kept output; its command ends by itself
(0, a code, TERM, KILL, SEGV) about the moment at which a taker, `atmost kill`, --max-runtime or a
signal to the supervisor comes; every fifth is an atom of `atmost pass`, which another one follows.
The command writes files of its own. The events are compared with what was reported: one line in
the history, one notification, all of the output, and the code. Works in the current directory;
atmost is found in PATH.
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

WORKERS = 4
LONG = 120  # seconds, on a machine that does much else
GRACE = "300ms"
OWN_ENDS = {"exit 0": 0, "exit 7": 7, "kill -TERM $$": -15, "kill -KILL $$": -9,
            "kill -SEGV $$": -11}
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT]
NUMBERS = {"TERM": 15, "KILL": 9, "SEGV": 11, "INT": 2, "HUP": 1, "QUIT": 3}


class Wrong(Exception):
    pass


def await_file(path, process=None):
    end = time.monotonic() + LONG
    while not (os.path.exists(path) and os.path.getsize(path) > 0):
        if time.monotonic() > end or (process is not None and process.poll() is not None):
            raise Wrong(f"{path} was never written")
        time.sleep(0.0003)


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


class Trial:
    def __init__(self, number, rng):
        self.folder = os.path.abspath(f"trial{number}")
        os.mkdir(self.folder)
        self.own_end = rng.choice(list(OWN_ENDS))
        self.in_pass = number % 5 == 4
        kinds = ["taker", "kill", "max"] + ([] if self.in_pass else ["signal", "signal"])
        self.kind = rng.choice(kinds)
        self.signal = rng.choice(SIGNALS)
        # Another program needs some milliseconds to begin.
        early = 6 if self.kind in ("taker", "kill") else 4
        self.after_ms = rng.uniform(-early, 4 if early == 4 else 2)
        self.lasts_ms = rng.uniform(12, 25)

    def __str__(self):
        what = self.signal.name if self.kind == "signal" else self.kind
        return (f"{self.folder}: {self.own_end}, {what} after {self.after_ms:.2f} ms"
                f"{', in a pass' if self.in_pass else ''}")

    def at(self, name):
        return os.path.join(self.folder, name)

    def script(self):
        return (f"echo result; echo $$ >{self.at('start')}; read x; echo x >{self.at('end')}; "
                f"{self.own_end}")

    def limit(self):
        return f"{self.lasts_ms + self.after_ms:.0f}ms" if self.kind == "max" else None

    def command(self):
        told = f"echo $ATMOST_CODE >>{self.at('told')}"
        if not self.in_pass:
            limit = ["--max-runtime", self.limit()] if self.limit() else []
            return ["atmost", "run", "--log", self.at("history"), "--notify", told, "--notify-on",
                    "every", "--output", "tail", "--kill-grace", GRACE, *limit, self.at("lock"),
                    "--", "sh", "-c", self.script()]
        atom = {"operator": "job", "operand": "first", "command": ["sh", "-c", self.script()],
                "output": "tail", "kill_grace": GRACE, "notify": told, "notify_on": ["every"]}
        if self.limit():
            atom["max_runtime"] = self.limit()
        later = {"operator": "job", "operand": "later",
                 "command": ["touch", self.at("later")]}
        with open(self.at("pass.toml"), "w", encoding="utf-8") as to:
            for each in (atom, later):
                to.write("[[atom]]\n")
                for key, value in each.items():
                    to.write(f"{key} = {json.dumps(value)}\n")
        return ["atmost", "pass", "--json", self.at("pass.toml")]

    def lock(self):
        return "job:first" if self.in_pass else self.at("lock")

    def disturb(self, supervisor, environment):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL,
                 "stdin": subprocess.DEVNULL, "env": environment}
        if self.kind == "signal":
            supervisor.send_signal(self.signal)
        elif self.kind == "taker":
            return subprocess.Popen(["atmost", "run", "--no-history", "-w", "inf", "--kill-grace",
                                     GRACE, "--expire-after", "0", self.lock(), "true"], **quiet)
        elif self.kind == "kill":
            return subprocess.Popen(["atmost", "kill", "--kill-grace", GRACE, self.lock()],
                                    **quiet)
        return None

    def run(self):
        environment = dict(os.environ, ATMOST_DIR=self.folder)
        with open(self.at("output"), "wb") as output, open(self.at("errors"), "wb") as errors:
            supervisor = subprocess.Popen(self.command(), stdin=subprocess.PIPE, stdout=output,
                                          stderr=errors, env=environment)
        try:
            await_file(self.at("start"), supervisor)
        except Wrong:
            if self.kind != "max":  # the limit came before the command's first word
                raise
        began = time.monotonic()
        moments = sorted([(began + self.lasts_ms / 1000, "end"),
                          (began + (self.lasts_ms + self.after_ms) / 1000, "disturb")])
        other = None
        for moment, what in moments:
            time.sleep(max(0, moment - time.monotonic()))
            if what == "disturb":
                other = self.disturb(supervisor, environment)
                continue
            try:
                os.write(supervisor.stdin.fileno(), b"\n")
            except BrokenPipeError:
                pass  # it was stopped before
        supervisor.stdin.close()
        code = supervisor.wait(LONG)
        if other is not None and other.wait(LONG) not in (0, 75):
            raise Wrong(f"the other one ended with {other.returncode}")
        self.judge(code)

    def judge(self, code):
        log = [json.loads(line) for line in
               read(self.at("history" if not self.in_pass else "history.jsonl")).splitlines()]
        mine = [line for line in log if line["lock"].startswith(self.lock())]
        begun = [line for line in mine if line["event"] == "admitted"]
        ended = [line for line in mine if line["event"] == "ended"]
        if len(begun) != 1 or len(ended) != 1:
            raise Wrong(f"{len(begun)} begun, {len(ended)} ended in the history")
        line = ended[0]
        logged = line["exit"] if "exit" in line else -NUMBERS[line["signal"]]
        stopped = line.get("stopped")
        self.judge_end(logged)
        expected = {"taken_over": 79, "killed": 79, "max_runtime": 124}.get(stopped, logged)
        if self.in_pass:
            self.judge_pass(code)
        elif code != expected:
            raise Wrong(f"ended with {code}, and the history says {line}")
        if os.path.exists(self.at("start")) and "result\n" not in read(self.at("output")):
            raise Wrong("the output is lost")
        await_file(self.at("told"))
        told = read(self.at("told")).split()
        if told != [str(expected if expected >= 0 else 128 - expected)]:
            raise Wrong(f"told {told} instead of {expected}")

    # The command's own files, against what was read of its end.
    def judge_end(self, logged):
        own = OWN_ENDS[self.own_end]
        from_outside = {-2, -15, -9} if self.kind != "signal" else {-int(self.signal)}
        at_its_end = os.path.exists(self.at("end"))
        if not at_its_end and logged not in from_outside:
            raise Wrong(f"never came to its end, and the history says {logged}")
        if at_its_end and logged != own and logged not in from_outside:
            raise Wrong(f"ended by {self.own_end}, and the history says {logged}")

    # A taker that finds the atom running ends the pass with it; otherwise the later atom runs.
    def judge_pass(self, code):
        taken = self.kind in ("taker", "kill") and code in (-signal.SIGINT, -signal.SIGTERM)
        if code not in (0, 1) and not taken:
            raise Wrong(f"the pass ended with {code}")
        if os.path.exists(self.at("later")) == taken:
            raise Wrong(f"the pass ended with {code}, and the later atom is run: {not taken}")
        rows = [json.loads(row)["lock"] for row in read(self.at("output")).splitlines()
                if row.startswith("{")]
        if rows != ["job:first", "job:later"][:1 if taken else 2]:
            raise Wrong(f"the pass told of {rows}")


def main():
    count = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in SIGNALS:  # a background job of a shell ignores some
        signal.signal(number, signal.SIG_DFL)
    rng = random.Random(seed)
    plan = [(number, rng.randrange(1 << 32)) for number in range(count)]
    lock = threading.Lock()
    wrong = []

    def work():
        while not wrong:
            with lock:
                if not plan:
                    return
                number, own_seed = plan.pop()
            trial = Trial(number, random.Random(own_seed))
            try:
                trial.run()
            except Exception as error:  # pylint: disable=broad-except
                with lock:
                    wrong.append(f"{trial}: {error!r}; errors: {read(trial.at('errors'))}")
                return
            subprocess.run(["rm", "-rf", trial.folder], check=False)

    workers = [threading.Thread(target=work) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(f"{count - len(plan)} of {count} runs, seed {seed}")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
