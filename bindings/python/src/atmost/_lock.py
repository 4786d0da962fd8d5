"""Requests and admissions; every decision is libatmost's."""
import functools
import inspect
import os
from typing import Any, Callable, List, TypeVar, Union

from . import _atmost
from ._answers import Atom, Check, Entry, Refused, UsageError
from ._atmost import Held, Waiting

AUTO = "auto"
Function = TypeVar("Function", bound=Callable[..., Any])


def may_be_killed(agreed: bool) -> bool:
    """Whether a taker may stop this program when a lock that it takes from now on is overdue.
    Returns what was agreed before, at first False."""
    return _atmost.may_be_killed(agreed)


def _text(value: Union[str, "os.PathLike[str]"]) -> bytes:
    encoded = os.fsencode(value)
    if b"\0" in encoded:
        raise UsageError("a text with a NUL byte", _atmost.USAGE)
    return encoded


async def _answer(waiting: Waiting) -> None:
    import asyncio  # it takes longer than everything else here

    loop = asyncio.get_running_loop()
    answered = asyncio.Event()
    descriptor = waiting.descriptor()
    loop.add_reader(descriptor, answered.set)
    try:
        await answered.wait()
    except asyncio.CancelledError:
        waiting.cancel()
        await answered.wait()  # a takeover that has begun is finished first
        raise
    finally:
        loop.remove_reader(descriptor)


class Lock(_atmost.Lock):
    """What to take and how: `options` are those of atmost_set() (README.md), and `on_lost`.
    Seconds are numbers, the words of atmost(1) are strings; an option without a value is True or
    False, and one that may be set several times is a list. A context manager (also of `async with`)
    and a decorator; each use takes the lock anew, so that threads may share one Lock. The work
    counts as a success when its block ends without an exception."""

    def __init__(self, name: Union[str, "os.PathLike[str]", Atom], **options: Any) -> None:
        if isinstance(name, Atom):
            super().__init__(_text(name.operator), _text(name.operand))
            self._set("host", name.host)
        else:
            super().__init__(_text(name))
        for option, value in options.items():
            self._convert(option, value)

    def _convert(self, option: str, value: Any) -> None:
        try:
            self._set(option, value)
        except TypeError as wrong:
            raise TypeError(f"{option}: {wrong}") from None
        except (OverflowError, ValueError) as wrong:  # of Python itself, or the library's
            if isinstance(wrong, UsageError):
                raise
            raise UsageError(f"{option}: {wrong}", _atmost.USAGE) from None

    def list(self) -> List[Entry]:
        """Drained slots, holders by slot, waiters in the order of their queues. Takes nothing."""
        return [Entry(*fields) for fields in self._list()]

    def check(self) -> Check:
        """Whether acquire() would be admitted now without a wait. Takes nothing."""
        held, refused = self._check()
        if refused is None:
            return Check(True, held, "", 0.0)
        if not isinstance(refused, Refused):
            raise refused
        return Check(False, held, refused.why, refused.retry_in)

    async def acquire_async(self) -> Held:
        """The same as acquire() beside other tasks; a task that is cancelled gives its place up."""
        held = await self._take()
        self._acquired(held)
        return held

    async def _take(self) -> Held:
        waiting = self._begin()
        try:
            if not waiting.answered():
                await _answer(waiting)
            return waiting.finish()
        except BaseException:
            waiting.abandon()
            raise

    async def __aenter__(self) -> Held:
        held = await self._take()
        try:
            self._entered(held)
        except BaseException:  # a signal's handler raised
            self._not_entered(held)
            raise
        return held

    def __call__(self, function: Function) -> Function:
        """Each call of `function` holds the lock; of an `async def`, while it is awaited."""
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError("a call of a generator ends before its work: take the lock inside it")
        if inspect.iscoroutinefunction(function):
            @functools.wraps(function)
            async def waits(*args: Any, **more: Any) -> Any:
                async with self:
                    return await function(*args, **more)
            return waits  # type: ignore[return-value]

        @functools.wraps(function)
        def takes(*args: Any, **more: Any) -> Any:
            with self:
                return function(*args, **more)
        return takes  # type: ignore[return-value]
