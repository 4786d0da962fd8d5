#!/usr/bin/env python3
"""Random nests of callers, beside one another: nests_witness.py COUNT

In a nest, two to four callers take locks inside one another, at most four deep, of three locks with
1 to 3 slots. Each appends to a log what it is about to do and what came of it. From that log alone a
model decides for each refusal whether the refused caller could have been admitted in the end. No
nest may hang, and each circle has to be named within three seconds.
"""
import json
import os
import random
import signal
import subprocess
import sys
import time

BESIDE = 12  # nests at a time
NAMED_WITHIN = 3.0
# On a loaded machine a look comes late.
SLACK = 3.0 if "ATMOST_TESTS_SLOW" not in os.environ else 20.0


class Caller:
    def __init__(self, number, lock, parent):
        self.number, self.lock, self.parent = number, lock, parent
        self.children = []
        self.state = "not yet"  # waits, runs, over
        self.since = 0.0

    def above(self):
        at = self.parent
        while at is not None:
            yield at
            at = at.parent


class Nest:
    def __init__(self, number, dice):
        self.folder = os.path.abspath(f"nest{number}")
        os.mkdir(self.folder)
        self.number, self.dice = number, dice
        self.slots = [dice.randint(1, 3) for _ in range(3)]
        self.callers = []
        self.problems = []
        self.circles = 0
        self.slowest = 0.0
        outer = [self.grow(None, 1) for _ in range(dice.randint(2, 4))]
        self.read = 0
        self.began = time.monotonic()
        environment = dict(os.environ, ATMOST_DIR=self.folder)
        self.programs = [
            subprocess.Popen(["sh", "-c", self.call(each)], cwd=self.folder, env=environment,
                             start_new_session=True)
            for each in outer]

    def grow(self, parent, depth):
        caller = Caller(len(self.callers), self.dice.randrange(3), parent)
        self.callers.append(caller)
        if depth < 4:
            most = 2 if depth < 3 else 1
            for _ in range(self.dice.choice([0, 1, 1, most]) if depth > 1 else 1):
                caller.children.append(self.grow(caller, depth + 1))
        lines = [f"echo S {caller.number} >>log", f"sleep 0.0{self.dice.randrange(10)}"]
        lines += [self.call(child) for child in caller.children]
        lines += [f"sleep 0.0{self.dice.randrange(10)}", f"echo E {caller.number} >>log"]
        with open(f"{self.folder}/{caller.number}.sh", "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        return caller

    def call(self, caller):
        it = caller.number
        shell = self.dice.choice(["sh", "bash", "dash"])
        run = (f"atmost run --no-history -q --status-fd 3 -n {self.slots[caller.lock]} -w inf "
               f"lock{caller.lock} {shell} {it}.sh 3>status.{it}")
        if self.dice.random() < 0.3:
            run = f"{run} & wait $!"
        return f"echo A {it} >>log; {run}; echo R {it} $? >>log"

    def could_come(self, asked):
        """Whether that caller can still be admitted if all that can happen happens."""
        running = [c for c in self.callers if c.state == "runs"]
        waiting = [c for c in self.callers if c.state == "waits"]
        ended, admitted = set(), set()
        changed = True
        while changed:
            changed = False
            for each in running:
                stopped = [c for c in each.children if c.state == "waits" and c not in admitted]
                inner = [c for c in each.children if c.state == "runs" and c not in ended]
                if each not in ended and not stopped and not inner:
                    ended.add(each)
                    changed = True
            for each in waiting:
                held = [c for c in running if c.lock == each.lock and c not in ended]
                if each not in admitted and len(held) < self.slots[each.lock]:
                    admitted.add(each)
                    changed = True
        return asked in admitted

    def follow(self):
        try:
            with open(f"{self.folder}/log", encoding="ascii") as file:
                file.seek(self.read)
                text = file.read()
        except FileNotFoundError:
            return
        now = time.monotonic()
        whole = text[:text.rfind("\n") + 1]
        self.read += len(whole)
        for line in whole.splitlines():
            self.see(line.split(), now)

    def see(self, words, now):
        caller = self.callers[int(words[1])]
        if words[0] == "A":
            caller.state, caller.since = "waits", now
        elif words[0] == "S":
            caller.state = "runs"
            held = [c for c in self.callers if c.lock == caller.lock and c.state == "runs"]
            if len(held) > self.slots[caller.lock]:
                self.problems.append(f"{len(held)} run beside one another")
        elif words[0] == "E":
            caller.state = "over"
        elif words[0] == "R" and words[2] != "0":
            self.refused(caller, words[2], now)

    def refused(self, caller, code, now):
        with open(f"{self.folder}/status.{caller.number}", encoding="utf-8") as file:
            text = file.read()
        reason = json.loads(text)["reason"] if text else "none"
        if code == "75" and reason == "ancestor":
            around = [c for c in caller.above() if c.lock == caller.lock]
            if len(around) < self.slots[caller.lock]:
                self.problems.append(f"caller {caller.number}: not all slots are around it")
        elif code == "75" and reason == "circle":
            self.circles += 1
            if self.could_come(caller):
                self.problems.append(f"caller {caller.number}: not a circle")
            took = now - max(c.since for c in self.callers if c.state == "waits")
            self.slowest = max(self.slowest, took)
            if took > NAMED_WITHIN + SLACK:
                self.problems.append(f"caller {caller.number}: refused after {took:.1f} s")
        else:
            self.problems.append(f"caller {caller.number}: {code}, {reason}")
        caller.state = "over"

    def end(self):
        """Everything below is in the groups of our own children, as no caller makes another."""
        for program in self.programs:
            if program.poll() is None:
                os.killpg(program.pid, signal.SIGTERM)

    def over(self):
        self.follow()
        if all(program.poll() is not None for program in self.programs):
            self.follow()
            if any(c.state in ("waits", "runs") for c in self.callers):
                self.problems.append("a caller did not return")
            return True
        if time.monotonic() - self.began > 60 + 20 * SLACK:
            stuck = [f"{c.number} {c.state} for lock{c.lock}" for c in self.callers
                     if c.state in ("waits", "runs")]
            self.problems.append("hangs: " + ", ".join(stuck))
            self.end()
            return True
        return False


def main():
    count = int(sys.argv[1])
    seed = int(os.environ.get("ATMOST_SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"seed {seed}", flush=True)
    dice = random.Random(seed)
    begun, running, problems, circles, slowest = 0, [], [], 0, 0.0
    while begun < count or running:
        while begun < count and len(running) < BESIDE:
            running.append(Nest(begun, dice))
            begun += 1
        for nest in list(running):
            if nest.over():
                running.remove(nest)
                problems += [f"nest {nest.number}: {words}" for words in nest.problems]
                circles += nest.circles
                slowest = max(slowest, nest.slowest)
        time.sleep(0.01)
    print(f"{count} nests, {circles} circles, the slowest named after {slowest:.1f} s, "
          f"{len(problems)} problems")
    print("\n".join(problems))
    sys.exit(1 if problems or circles == 0 else 0)


main()
