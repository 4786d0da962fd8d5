"""What is Python's own: blocks, decorators, tasks, signals, threads."""
import asyncio
import math
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import List

import pytest

import atmost
import outside


def lock(folder: Path, **options: object) -> atmost.Lock:
    return atmost.Lock("a", dir=folder, **options)


def waiters(folder: Path) -> int:
    return sum(one.state == "waiting" for one in lock(folder).list())


def test_success_seen_from_outside(tmp_path: Path) -> None:
    once = ("--if-elapsed=900", "--elapsed-from=success")
    with pytest.raises(ZeroDivisionError):
        with lock(tmp_path):
            assert outside.run(tmp_path) == outside.BUSY
            raise ZeroDivisionError
    assert outside.run(tmp_path, *once, command="false") == 1
    with lock(tmp_path):
        pass
    assert outside.run(tmp_path, *once, command="false") == outside.TOO_SOON


def test_forked_child_frees_nothing(tmp_path: Path) -> None:
    with lock(tmp_path) as held:
        child = os.fork()
        if child == 0:
            held.release()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert outside.run(tmp_path) == outside.BUSY
    assert outside.run(tmp_path) == 0


def test_list_and_check(tmp_path: Path) -> None:
    one = lock(tmp_path)
    assert one.list() == [] and one.check() == atmost.Check(True, 0, "", 0.0)
    with outside.holder(tmp_path):
        entry, = one.list()
        assert (entry.state, entry.slot, entry.verified) == ("held", 1, True)
        assert entry.pid != os.getpid() and entry.position is None
        assert one.check()[:3] == (False, 1, "no_slot")
    with pytest.raises(atmost.UsageError):
        lock(tmp_path, max=0).check()


def test_block_that_raises_is_no_success(tmp_path: Path) -> None:
    once = lock(tmp_path, if_elapsed=900, elapsed_from="success")
    with pytest.raises(ZeroDivisionError):
        with once:
            raise ZeroDivisionError
    with once as held:
        assert held.held
    assert not held.held
    with pytest.raises(atmost.TooSoon) as soon:
        once.acquire()
    assert 890 < soon.value.retry_in <= 900


def test_lock_is_the_holder_until_its_release(tmp_path: Path) -> None:
    """The idiom of threading.Lock: the result of acquire() is dropped."""
    one = lock(tmp_path, max=2)
    one.acquire()
    one.acquire()
    assert one.check().held == 2
    one.release()
    assert one.check().held == 1
    with one:
        assert one.check().held == 2
        one.release(success=False)  # that of the block
        assert one.check().held == 1
    one.release()
    assert outside.run(tmp_path) == 0
    with pytest.raises(RuntimeError, match="not held"):
        one.release()


def test_lock_that_holds_and_is_dropped(tmp_path: Path) -> None:
    lock(tmp_path).acquire()
    assert outside.run(tmp_path) == 0
    held = lock(tmp_path).acquire()
    assert held.held and outside.run(tmp_path) == outside.BUSY


def test_async_acquire_whose_result_is_dropped(tmp_path: Path) -> None:
    one = lock(tmp_path)

    async def take() -> None:
        await one.acquire_async()
        assert outside.run(tmp_path) == outside.BUSY
        one.release()

    asyncio.run(take())
    assert outside.run(tmp_path) == 0


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
    async def wait() -> bool:
        async with lock(tmp_path, wait=math.inf) as held:
            assert outside.run(tmp_path) == outside.BUSY
            return held.held

    async def both() -> bool:
        with outside.holder(tmp_path) as end:
            task = asyncio.create_task(wait())
            while waiters(tmp_path) == 0:
                await asyncio.sleep(0.01)
            end()
            return await task

    assert asyncio.run(both())
    assert outside.run(tmp_path) == 0


def test_cancelled_task_gives_up(tmp_path: Path) -> None:
    def threads() -> int:
        return len(os.listdir("/proc/self/task"))

    async def cancelled() -> None:
        before = threads()
        with outside.holder(tmp_path):
            task = asyncio.create_task(lock(tmp_path, wait=math.inf).acquire_async())
            while waiters(tmp_path) == 0:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (waiters(tmp_path), threads()) == (0, before)

    asyncio.run(cancelled())
    assert outside.run(tmp_path) == 0


WAITER = """
import math, signal, sys, atmost
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    print("waiting", flush=True)
    atmost.Lock("a", dir=sys.argv[1], wait=math.inf).acquire()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_interrupt_is_heard_while_waiting(tmp_path: Path) -> None:
    """The lock stays held, so that nothing but the signal can end the wait."""
    with outside.holder(tmp_path):
        with subprocess.Popen([sys.executable, "-c", WAITER, str(tmp_path)], text=True,
                              stdout=subprocess.PIPE) as waiter:
            assert waiter.stdout is not None
            assert waiter.stdout.readline() == "waiting\n"
            outside.eventually(lambda: waiters(tmp_path) == 1)
            waiter.send_signal(signal.SIGINT)
            assert waiter.stdout.readline() == "interrupted\n"
            assert waiter.wait() == 0
        assert waiters(tmp_path) == 0


def test_threads_run_while_one_waits(tmp_path: Path) -> None:
    """With the interpreter held, nobody would see the waiter, nor end the holder."""
    answers: List[int] = []

    def wait() -> None:
        with lock(tmp_path, wait=math.inf):
            answers.append(outside.run(tmp_path))

    with outside.holder(tmp_path) as end:
        waiter = threading.Thread(target=wait, daemon=True)
        waiter.start()
        outside.eventually(lambda: waiters(tmp_path) == 1)
        assert answers == []
        end()
        waiter.join()
    assert answers == [outside.BUSY]


def test_on_lost_to_another_process(tmp_path: Path) -> None:
    lost = threading.Event()
    tokens: List[int] = []

    def note(token: int) -> None:
        tokens.append(token)
        lost.set()

    held = lock(tmp_path, on_lost=note).acquire()
    assert outside.run(tmp_path) == outside.BUSY
    assert outside.run(tmp_path, "--expire-after=0", "--wait=300") == 0
    lost.wait()
    assert tokens == [held.token] and not held.held
    held.release()


def test_on_lost_after_max_runtime(tmp_path: Path) -> None:
    lost = threading.Event()
    held = lock(tmp_path, on_lost=lambda token: lost.set(), max_runtime=0.1).acquire()
    lost.wait()
    assert not held.held
    assert outside.run(tmp_path) == 0


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


def test_version() -> None:
    assert atmost.__version__ == "0.1.0"
