#!/usr/bin/env python3
"""Scripted agents, each with a session, that obey docs/agents.md alone.

    agents_witness.py AGENTS

An agent calls `gated tests SUITE` and is killed (KILL, with its process group) after a fifth of a
second, until a call ends with a code of the suite. Suites append lines to a log that no part of
atmost knows. Every third session is killed while its suite waits: that suite never begins.
"""

import os
import signal
import subprocess
import sys
import threading
import time


def waiting():
    listed = subprocess.run(["atmost", "list", "tests"], capture_output=True, text=True, check=True)
    return listed.stdout.count("waiting"), listed.stdout.count("held")


def until(condition, what):
    deadline = time.monotonic() + 30
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"not within 30 s: {what}")
        time.sleep(0.02)


class Agent(threading.Thread):
    def __init__(self, number):
        super().__init__()
        self.number = number
        self.kills = 0
        self.code = None
        self.over = False
        self.folder = os.path.abspath(f"agent{number}")
        os.mkdir(self.folder)
        self.session = subprocess.Popen(["sleep", "600"])

    def run(self):
        log = os.path.abspath("log")
        suite = f"echo {self.number} >>{log}; sleep 0.3"
        environment = dict(os.environ, GATED_SESSION=str(self.session.pid))
        while not self.over:
            call = subprocess.Popen(["gated", "tests", "sh", "-c", suite], cwd=self.folder,
                                    env=environment, start_new_session=True,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                self.code = call.wait(0.2)
                if self.code != 75:
                    return
            except subprocess.TimeoutExpired:
                os.killpg(call.pid, signal.SIGKILL)
                call.wait()
                self.kills += 1


def main():
    count = int(sys.argv[1])
    holder = subprocess.Popen(["atmost", "run", "tests", "sleep", "600"])
    until(lambda: waiting() == (0, 1), "the holder")
    agents = []
    for number in range(count + count // 3):
        agents.append(Agent(number))
        agents[-1].start()
        until(lambda: waiting()[0] == len(agents), "a waiter")
    gone = agents[2::4][:count // 3]
    for agent in gone:
        agent.over = True
        agent.join()
        agent.session.kill()
        agent.session.wait()
    until(lambda: waiting()[0] == len(agents) - len(gone), "the ends of the orphans")
    holder.terminate()
    holder.wait()
    stay = [agent for agent in agents if agent not in gone]
    for agent in stay:
        agent.join()
        agent.session.kill()
        agent.session.wait()
    with open("log", encoding="ascii") as log:
        order = [int(line) for line in log]
    if order != [agent.number for agent in stay] or any(agent.code for agent in stay):
        sys.exit(f"order: {order}, codes: {[agent.code for agent in stay]}")
    until(lambda: waiting() == (0, 0), "the end of all holders")
    print(f"{len(order)} in the order of arrival; {sum(agent.kills for agent in agents)} calls "
          f"killed, {len(gone)} orphans ended")


main()
