"""Processes of atmost, which show a lock from outside."""
import os
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Dict, Iterator

ATMOST = "atmost"  # which is installed with the library
TESTS = Path(__file__).resolve().parent
BUSY, TOO_SOON = 75, 76


def _environment(folder: Path) -> Dict[str, str]:
    return dict(os.environ, ATMOST_DIR=str(folder))


def run(folder: Path, *options: str, command: str = "true") -> int:
    """The exit code of `atmost run` of the lock "a"."""
    return subprocess.run([ATMOST, "run", "-q", *options, "a", "--", command], timeout=300,
                          env=_environment(folder), check=False).returncode


@contextmanager
def holder(folder: Path) -> Iterator[Callable[[], None]]:
    """Another process holds the lock "a" until the block ends or calls the yielded function."""
    with subprocess.Popen([ATMOST, "run", "a", "--", "sh", "-c", "echo in; read line"],
                          env=_environment(folder), stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == "in\n"
        yield process.stdin.close
        process.stdin.close()


def eventually(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 300
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)
