"""Nothing stays held that nobody can release: signals at any moment, tasks, generators, forks."""
import asyncio
import contextlib
import copy
import gc
import itertools
import math
import os
import random
import signal
import sys
import threading
import weakref
from pathlib import Path
from typing import AsyncIterator, ContextManager, Iterator, List

import pytest

import atmost
from test_lock import lock


class Hit(Exception):
    """What a signal's handler raises."""


def hit(number: int, frame: object) -> None:
    raise Hit


@pytest.mark.parametrize("wait", [0, 60])
def test_handler_that_raises_while_a_lock_is_taken(tmp_path: Path, wait: float) -> None:
    """Python runs handlers right after the call of C that they came in: the lock is taken by then,
    and nobody has it yet."""
    one = lock(tmp_path, wait=wait)
    earlier = signal.signal(signal.SIGALRM, hit)
    hits = 0
    try:
        while hits < 200:
            try:
                signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-6, 150e-6))
                with one:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except Hit as error:
                hits += 1
                assert one.list() == [], error  # also while its traceback is looked at
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)


def blocks(folder: Path) -> Iterator[ContextManager[object]]:
    """What is left by a `with`."""
    one = lock(folder)
    waits = lock(folder, wait=60)
    shape = atmost.FileLock(folder / "a")
    while True:
        yield one
        yield waits
        yield shape
        yield one.acquire()


def test_handler_that_raises_while_a_block_is_left(tmp_path: Path) -> None:
    """At any moment between the last statement of the block and the first one after it, and while
    the lock is released. Each lock stays referred to."""
    seen = lock(tmp_path)
    kept: List[object] = []
    earlier = signal.signal(signal.SIGALRM, hit)
    hits = 0
    try:
        for block in itertools.islice(blocks(tmp_path), 4000):
            kept.append(block)
            try:
                with block:
                    signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-6, 20e-6))
                signal.setitimer(signal.ITIMER_REAL, 0)
            except Hit as error:
                hits += 1
                assert seen.list() == [], error
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert seen.list() == []
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)
    assert hits >= 400


@pytest.mark.filterwarnings("ignore:coroutine '_nothing'")
def test_async_block_that_a_handler_leaves(tmp_path: Path) -> None:
    one = lock(tmp_path)

    async def leave() -> bool:
        try:
            async with one:
                signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-6, 20e-6))
            signal.setitimer(signal.ITIMER_REAL, 0)
        except Hit:
            return True
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return False

    async def main() -> int:
        hits = 0
        for _ in range(1000):
            hits += await leave()
            assert one.list() == []
        return hits

    earlier = signal.signal(signal.SIGALRM, hit)
    try:
        assert asyncio.run(main()) >= 100
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)


def test_tasks_end_their_own_blocks(tmp_path: Path) -> None:
    one = lock(tmp_path, max=2)

    async def work(begun: asyncio.Event, end: asyncio.Event) -> bool:
        with one as held:
            begun.set()
            await end.wait()
            return held.held

    async def both() -> None:
        begun, ends = [asyncio.Event(), asyncio.Event()], [asyncio.Event(), asyncio.Event()]
        tasks = []
        for at in (0, 1):
            tasks.append(asyncio.create_task(work(begun[at], ends[at])))
            await begun[at].wait()
        ends[0].set()
        assert await tasks[0]
        assert [entry.slot for entry in one.list()] == [2]
        ends[1].set()
        assert await tasks[1]

    asyncio.run(both())


def test_block_that_another_task_leaves(tmp_path: Path) -> None:
    one = lock(tmp_path)

    async def values() -> AsyncIterator[int]:
        async with one:
            yield 1

    async def break_off() -> None:
        async for _ in values():
            break

    async def main() -> None:
        stack = contextlib.AsyncExitStack()
        await asyncio.create_task(stack.enter_async_context(one))
        await stack.aclose()
        assert one.list() == []
        await asyncio.create_task(break_off())
        while one.list():  # its finalizer is a task of its own
            await asyncio.sleep(0.01)

    asyncio.run(main())


def test_block_that_might_be_anothers(tmp_path: Path) -> None:
    """Which of two to release is not known: neither, and that is said."""
    one = lock(tmp_path, max=2)

    async def main() -> None:
        stacks = [contextlib.AsyncExitStack(), contextlib.AsyncExitStack()]
        for stack in stacks:
            await asyncio.create_task(stack.enter_async_context(one))
        with pytest.raises(RuntimeError, match="acquire_async"):
            await stacks[0].aclose()
        assert len(one.list()) == 2

    asyncio.run(main())


def test_generators_are_not_decorated(tmp_path: Path) -> None:
    def values() -> Iterator[int]:
        yield 1

    with pytest.raises(TypeError, match="inside"):
        lock(tmp_path)(values)


def test_filelock_of_the_parent_is_not_the_childs(tmp_path: Path) -> None:
    one = atmost.FileLock(tmp_path / "file.lock")
    with one:
        child = os.fork()
        if child == 0:
            try:
                one.acquire(timeout=0)
            except atmost.Timeout:
                os._exit(0)
            os._exit(1)
        assert os.waitpid(child, 0)[1] == 0


def test_filelock_of_a_thread_that_has_ended(tmp_path: Path) -> None:
    one = atmost.FileLock(tmp_path / "file.lock")
    thread = threading.Thread(target=one.acquire)
    thread.start()
    thread.join()
    assert one.lock_counter == 0
    one.acquire(timeout=0).release()


def test_lock_that_only_its_on_lost_refers_to(tmp_path: Path) -> None:
    def take() -> None:
        held: List[atmost.Held] = []
        held.append(lock(tmp_path, on_lost=lambda token: held.clear()).acquire())

    take()
    gc.collect()
    assert lock(tmp_path).list() == []


def test_nothing_is_kept_after_a_release(tmp_path: Path) -> None:
    def on_lost(token: int) -> None:
        pass

    def cycle() -> None:
        with one as held:
            reference = weakref.ref(held)
        one.acquire().release()
        with pytest.raises(atmost.Busy):
            with one, one:
                pass
        del held
        assert reference() is None

    one = lock(tmp_path, on_lost=on_lost, also=["b"], id="me")
    cycle()
    before = sys.getrefcount(on_lost), sys.getrefcount(one), sys.getrefcount(atmost.Held)
    for _ in range(50):
        cycle()
    assert before == (sys.getrefcount(on_lost), sys.getrefcount(one),
                      sys.getrefcount(atmost.Held))


def test_release_with_wrong_arguments(tmp_path: Path) -> None:
    held = lock(tmp_path).acquire()
    for arguments, named in (((1, 2), {}), ((), {"succes": 1}), ((1,), {"success": 1})):
        with pytest.raises(TypeError):
            held.release(*arguments, **named)  # type: ignore[arg-type]
        assert held.held
    held.release(success=False)
    held.release(False)
    assert not held.held
    with pytest.raises(atmost.UsageError, match="waitt"):
        lock(tmp_path, waitt=1)
    with pytest.raises(TypeError):
        copy.copy(held)
    with pytest.raises(atmost.AtmostError):
        atmost.Lock.__new__(atmost.Lock).acquire()


@pytest.mark.parametrize("option", ["wait", "if_elapsed", "expire_after", "kill_grace", "now",
                                    "max_runtime"])
def test_no_number(tmp_path: Path, option: str) -> None:
    with pytest.raises(atmost.UsageError, match=option):
        lock(tmp_path, on_lost=print, **{option: math.nan}).acquire()


def test_values_that_make_no_sense(tmp_path: Path) -> None:
    for option, value in (("shared", "replace"), ("on_busy", "shared"), ("elapsed_from", "plain"),
                          ("max", -1), ("take", 2**40), ("take", 2**70), ("max", 1.5), ("id", "a\0b"),
                          ("mode", "9"), ("if_elapsed", -1.0), ("expire_after", -1)):
        with pytest.raises(atmost.UsageError, match=option):
            lock(tmp_path, **{option: value})
    for option, value in (("on_lost", "f"), ("wait", object()), ("also", {"b": 1})):
        with pytest.raises(TypeError, match=option):
            lock(tmp_path, **{option: value})
    lock(tmp_path, elapsed_from="success", also=("b",), on_lost=None, if_elapsed=atmost.AUTO, mode=0o640,
         shared=False).acquire().release()
