"""The table that every binding runs."""
import json
import math
import os
import signal
import time
from pathlib import Path
from typing import Any, Dict

import pytest

import atmost
import outside

SITUATIONS = json.loads((outside.TESTS / "conformance.json").read_text())["situations"]
REFUSALS = {"busy": atmost.Busy, "too_soon": atmost.TooSoon, "usage": atmost.UsageError}


def number(value: Any) -> Any:
    return math.inf if value == "infinity" else value


class Runner:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.held: Dict[str, atmost.Held] = {}
        self.tokens: Dict[str, int] = {}
        self.processes: Dict[str, int] = {}

    def run(self, steps: Any) -> None:
        for step in steps:
            getattr(self, step["do"])(step)

    def lock(self, step: Any) -> atmost.Lock:
        name = atmost.Atom(*step["atom"]) if "atom" in step else step["lock"]
        options = {option: number(value) for option, value in step.get("options", {}).items()}
        return atmost.Lock(name, dir=self.directory, **options)

    def check(self, step: Any) -> None:
        looked = self.lock(step).check()
        assert (looked.admitted, looked.held) == (step["answer"] == "admitted", step["held"])
        assert len(self.lock(step).list()) == step["held"]

    def get(self, step: Any) -> None:
        if step["answer"] != "admitted":
            with pytest.raises(REFUSALS[step["answer"]]) as refusal:
                self.lock(step).acquire()
            assert refusal.value.why == step.get("why", refusal.value.why)
            if "retry_in" in step:
                assert refusal.value.retry_in == pytest.approx(number(step["retry_in"]), abs=0.01)
            return
        held = self.lock(step).acquire()
        self.held[step["as"]] = held
        self.tokens[step["as"]] = held.token
        assert held.slot == step.get("slot", held.slot)
        if "token_above" in step:
            assert held.token > self.tokens[step["token_above"]]

    def release(self, step: Any) -> None:
        self.held.pop(step["lock"]).release(step["success"])

    def child(self, steps: Any, ready: int) -> int:
        child = os.fork()
        if child != 0:
            return child
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a taker's INT ends it, as in C
            self.run(steps)
            if ready >= 0:
                os.write(ready, b"!")
                while True:
                    signal.pause()
            os._exit(0)
        finally:
            os._exit(1)

    def fork(self, step: Any) -> None:
        assert os.waitpid(self.child(step["steps"], -1), 0)[1] == 0

    def start(self, step: Any) -> None:
        readable, writable = os.pipe()
        self.processes[step["as"]] = self.child(step["steps"], writable)
        os.close(writable)
        assert os.read(readable, 1) == b"!"
        os.close(readable)

    def killed(self, step: Any) -> None:
        child = self.processes.pop(step["process"])
        end = time.monotonic() + 10
        while True:
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid == child:
                break
            assert time.monotonic() < end
            time.sleep(0.01)
        assert os.WIFSIGNALED(status)

    def kill(self, step: Any) -> None:
        os.kill(self.processes[step["process"]], signal.SIGKILL)
        self.killed(step)


@pytest.mark.parametrize("situation", SITUATIONS,
                         ids=[one["name"] for one in SITUATIONS])
def test_situation(situation: Any, tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    try:
        runner.run(situation["steps"])
    finally:
        for child in runner.processes.values():
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
