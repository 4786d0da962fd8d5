"""What is Python's own: blocks, decorators, tasks, signals, threads."""
import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import List

import pytest

import atmost


def lock(folder: Path, **options: object) -> atmost.Lock:
    return atmost.Lock("a", directory=folder, **options)  # type: ignore[arg-type]


def test_block_that_raises_is_no_success(tmp_path: Path) -> None:
    once = lock(tmp_path, if_elapsed=900, elapsed_from="from_success")
    with pytest.raises(ZeroDivisionError):
        with once:
            raise ZeroDivisionError
    with once as held:
        assert held.held
    assert not held.held
    with pytest.raises(atmost.TooSoon) as soon:
        once.acquire()
    assert 890 < soon.value.retry_in <= 900


def test_decorator(tmp_path: Path) -> None:
    one = lock(tmp_path)

    @one
    def inside() -> str:
        with pytest.raises(atmost.Busy):
            lock(tmp_path).acquire()
        return "done"

    assert inside() == "done"
    assert inside() == "done"


def test_async_with_waits_beside_other_tasks(tmp_path: Path) -> None:
    async def both() -> List[str]:
        seen: List[str] = []
        entered = asyncio.Event()
        leave = asyncio.Event()

        async def first() -> None:
            async with lock(tmp_path):
                entered.set()
                await leave.wait()
                seen.append("first")

        async def second() -> None:
            await entered.wait()
            asyncio.get_running_loop().call_later(0.05, leave.set)
            async with lock(tmp_path, wait=30):
                seen.append("second")

        await asyncio.gather(first(), second())
        return seen

    assert asyncio.run(both()) == ["first", "second"]


def test_cancelled_task_gives_up(tmp_path: Path) -> None:
    async def cancelled() -> None:
        with lock(tmp_path):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(lock(tmp_path, wait=60).acquire_async(), 0.05)

    asyncio.run(cancelled())
    lock(tmp_path, wait=10).acquire().release()


WAITER = """
import math, signal, sys, atmost
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    print("waiting", flush=True)
    atmost.Lock("a", directory=sys.argv[1], wait=math.inf).acquire()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_interrupt_is_heard_while_waiting(tmp_path: Path) -> None:
    """The lock stays held, so that nothing but the signal can end the wait."""
    with lock(tmp_path):
        with subprocess.Popen([sys.executable, "-c", WAITER, str(tmp_path)], text=True,
                              stdout=subprocess.PIPE) as waiter:
            assert waiter.stdout is not None
            assert waiter.stdout.readline() == "waiting\n"
            waiter.send_signal(signal.SIGINT)
            assert waiter.stdout.readline() == "interrupted\n"
            assert waiter.wait() == 0


def test_threads_run_while_one_waits(tmp_path: Path) -> None:
    answers: List[str] = []

    def wait() -> None:
        with lock(tmp_path, wait=60):
            answers.append("admitted")

    held = lock(tmp_path).acquire()
    waiter = threading.Thread(target=wait)
    waiter.start()
    assert sum(range(1000)) == 499500 and answers == []
    held.release()
    waiter.join(30)
    assert answers == ["admitted"]


def test_on_lost(tmp_path: Path) -> None:
    lost = threading.Event()
    tokens: List[int] = []

    def note(token: int) -> None:
        tokens.append(token)
        lost.set()

    held = lock(tmp_path, on_lost=note, max_hold=0.1).acquire()
    assert lost.wait(10)
    assert tokens == [held.token]
    held.release()


def test_filelock_shape(tmp_path: Path) -> None:
    path = tmp_path / "file.lock"
    one, other = atmost.FileLock(path), atmost.FileLock(path, timeout=0)
    with one:
        with one:
            assert one.is_locked and one.lock_counter == 2
        with pytest.raises(TimeoutError):
            other.acquire()
        with pytest.raises(atmost.Timeout):
            other.acquire(blocking=False)
    assert not one.is_locked
    with other:
        assert os.path.exists(path)


def test_nul_byte_is_refused() -> None:
    with pytest.raises(atmost.UsageError):
        atmost.Lock("a\0b")
