"""Requests and admissions; every decision is libatmost's."""
import functools
import inspect
import os
from typing import Any, Callable, List, Optional, TypeVar, Union

from . import _atmost
from ._answers import Atom, Check, Entry, Refused, UsageError
from ._atmost import Held, Waiting

AUTO = -1.0
Function = TypeVar("Function", bound=Callable[..., Any])

# The values of each count from 0, as in atmost.h.
_CHOICES = {"sharing": ("plain", "shared", "exclusive"),
            "on_busy": ("fail", "replace", "join", "supersede"),
            "elapsed_from": ("start", "finish", "success")}
_TEXTS = ("directory", "id", "log", "rate", "store")
_MAY_BE_NONE = (*_TEXTS, "on_lost", "also")


def may_be_killed(agreed: bool) -> bool:
    """Whether a taker may stop this program when a lock that it takes from now on is overdue.
    Returns what was agreed before, at first False."""
    return _atmost.may_be_killed(agreed)


def _text(value: Union[str, "os.PathLike[str]"]) -> bytes:
    encoded = os.fsencode(value)
    if b"\0" in encoded:
        raise UsageError("a text with a NUL byte", _atmost.USAGE)
    return encoded


def _choice(field: str, value: Any) -> int:
    names = _CHOICES[field]
    name = value[5:] if field == "elapsed_from" and str(value).startswith("from_") else value
    if name not in names:
        raise UsageError(f"{field} must be one of {', '.join(names)}", _atmost.USAGE)
    return names.index(name)


def _prepared(field: str, value: Any) -> Any:
    """As the extension takes it."""
    if field in _CHOICES:
        return _choice(field, value)
    if field in _TEXTS:
        return _text(value)
    if field == "also":
        if isinstance(value, (str, bytes)):
            raise TypeError("also must be a list of locks")
        return tuple(map(_text, value))
    if field == "on_lost" and not callable(value):
        raise TypeError("on_lost must be callable")
    return value


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
    """What to take and how: fields of atmost_options. A context manager (also of `async with`) and
    a decorator; each use takes the lock anew, so that threads may share one Lock. The work counts
    as a success when its block ends without an exception."""

    def __init__(self, name: Union[str, "os.PathLike[str]", Atom], *, max: int = 1, take: int = 1,
                 wait: float = 0.0, if_elapsed: float = 0.0, expire_after: float = float("inf"),
                 kill_grace: float = 2.0, now: float = -1.0,
                 directory: Union[str, "os.PathLike[str]", None] = None, id: Optional[str] = None,
                 mode: int = 0o600, may_be_killed: int = 0,
                 on_lost: Optional[Callable[[int], None]] = None, log: Optional[str] = None,
                 no_history: bool = False, sharing: str = "plain", on_busy: str = "fail",
                 elapsed_from: str = "start", wait_too_soon: bool = False,
                 max_hold: float = float("inf"), also: Optional[List[str]] = None,
                 trust_fs: bool = False, no_learn: bool = False, rate: Optional[str] = None,
                 queue_max: int = -1, store: Optional[str] = None) -> None:
        said = dict(locals())
        for key in ("self", "name", "__class__"):
            del said[key]
        self._is_atom = isinstance(name, Atom)
        if isinstance(name, Atom):
            host = () if name.host is None else (_text(name.host),)
            super().__init__(_text(name.operator), _text(name.operand), *host)
        else:
            super().__init__(_text(name))
        for field, value in said.items():
            if value is not None or field not in _MAY_BE_NONE:
                self._convert(field, value)

    def _convert(self, field: str, value: Any) -> None:
        try:
            self._set(field, _prepared(field, value))
        except TypeError as wrong:
            raise TypeError(f"{field}: {wrong}") from None
        except OverflowError as wrong:
            raise UsageError(f"{field}: {wrong}", _atmost.USAGE) from None

    def _must_be_named(self) -> None:
        if self._is_atom:
            raise UsageError("an atom cannot be looked at", _atmost.USAGE)

    def list(self) -> List[Entry]:
        """Drained slots, holders by slot, waiters in the order of their queues. Takes nothing."""
        self._must_be_named()
        return [Entry(*fields) for fields in self._list()]

    def check(self) -> Check:
        """Whether acquire() would be admitted now without a wait. Takes nothing."""
        self._must_be_named()
        held, refused = self._check()
        if refused is None:
            return Check(True, held, "", 0.0)
        if not isinstance(refused, Refused):
            raise refused
        return Check(False, held, refused.why, refused.retry_in)

    async def acquire_async(self) -> Held:
        """The same as acquire() beside other tasks; a task that is cancelled gives its place up."""
        waiting = self._begin()
        try:
            if not waiting.answered():
                await _answer(waiting)
            return waiting.finish()
        except BaseException:
            waiting.abandon()
            raise

    async def __aenter__(self) -> Held:
        held = await self.acquire_async()
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
