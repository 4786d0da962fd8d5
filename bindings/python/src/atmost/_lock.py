"""Requests and admissions; every decision is libatmost's."""
import asyncio
import functools
import inspect
import os
import select
import threading
from types import TracebackType
from typing import Any, Callable, Dict, List, Optional, TypeVar, Union

from ._answers import Atom, Check, Entry, Refused, UsageError, refusal
from ._atmost import ffi, lib
from ._held import Exits, Held, Waiting

AUTO = -1.0
Function = TypeVar("Function", bound=Callable[..., Any])

# The values of each count from 0, as in atmost.h.
_CHOICES = {"sharing": ("plain", "shared", "exclusive"),
            "on_busy": ("fail", "replace", "join", "supersede"),
            "elapsed_from": ("start", "finish", "success")}
_MAY_BE_NONE = ("directory", "id", "on_lost", "log", "also", "rate")


def may_be_killed(agreed: bool) -> bool:
    """Whether a taker may stop this program when a lock that it takes from now on is overdue.
    Returns what was agreed before, at first False."""
    return bool(lib.atmost_may_be_killed(agreed))


def _whose() -> Any:
    """To whom a block belongs: the running task or, where there is none, the thread."""
    loop = asyncio._get_running_loop()
    task = None if loop is None else asyncio.current_task(loop)
    return threading.get_ident() if task is None else task


class Lock:
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
                 queue_max: int = -1) -> None:
        said = dict(locals())
        for key in ("self", "name"):
            del said[key]
        self._is_atom = isinstance(name, Atom)
        self._alive: List[Any] = []
        parts: List[Optional[str]] = (
            [*name] if isinstance(name, Atom) else [os.fsdecode(name)])
        self._texts = [self._text(one) for one in parts]
        self._options = ffi.new("atmost_options*", lib.defaults)
        for field, value in said.items():
            if value is not None or field not in _MAY_BE_NONE:
                self._set(field, value)
        self._wait = wait
        self._uses: Dict[Any, List[Held]] = {}  # what blocks hold, by _whose()
        get, begin = ((lib.atmost_get_atom, lib.atmost_begin_atom) if self._is_atom else
                      (lib.atmost_get, lib.atmost_begin))
        self._get = functools.partial(get, *self._texts, self._options)
        self._begin = functools.partial(begin, *self._texts, self._options)

    def _text(self, value: Union[str, "os.PathLike[str]", None]) -> Any:
        if value is None:
            return ffi.NULL
        encoded = os.fsencode(value)
        if b"\0" in encoded:
            raise UsageError("a text with a NUL byte", lib.ATMOST_USAGE)
        self._alive.append(ffi.new("char[]", encoded))
        return self._alive[-1]

    def _choice(self, field: str, value: Any) -> int:
        names = _CHOICES[field]
        name = value[5:] if field == "elapsed_from" and str(value).startswith("from_") else value
        if name not in names:
            raise UsageError(f"{field} must be one of {', '.join(names)}", lib.ATMOST_USAGE)
        return names.index(name)

    def _set(self, field: str, value: Any) -> None:
        if field in _CHOICES:
            value = self._choice(field, value)
        elif field in ("directory", "id", "log", "rate"):
            value = self._text(value)
        elif field == "also":
            if isinstance(value, (str, bytes)):
                raise TypeError("also must be a list of locks")
            self._alive.append(ffi.new("char*[]", [self._text(one) for one in value] + [ffi.NULL]))
            value = self._alive[-1]
        elif field == "on_lost":
            if not callable(value):
                raise TypeError("on_lost must be callable")
            self._alive.append(ffi.new_handle(value))
            self._options.context = self._alive[-1]
            value = lib.lost
        try:
            setattr(self._options, field, value)
        except TypeError as wrong:
            raise TypeError(f"{field}: {wrong}") from None
        except OverflowError as wrong:
            raise UsageError(f"{field}: {wrong}", lib.ATMOST_USAGE) from None

    def _name(self) -> Any:
        if self._is_atom:
            raise UsageError("an atom cannot be looked at", lib.ATMOST_USAGE)
        return self._texts[0]

    def list(self) -> List[Entry]:
        """Drained slots, holders by slot, waiters in the order of their queues. Takes nothing."""
        entries: List[Entry] = []
        answer = lib.atmost_list(self._name(), self._options, lib.each, ffi.new_handle(entries))
        if answer != lib.ATMOST_ADMITTED:
            raise refusal(answer)
        return entries

    def check(self) -> Check:
        """Whether acquire() would be admitted now without a wait. Takes nothing."""
        held = ffi.new("unsigned*")
        answer = lib.atmost_check(self._name(), self._options, held)
        if answer == lib.ATMOST_ADMITTED:
            return Check(True, held[0], "", 0.0)
        refused = refusal(answer)
        if not isinstance(refused, Refused):
            raise refused
        return Check(False, held[0], refused.why, refused.retry_in)

    def acquire(self) -> Held:
        """Raises Busy or TooSoon. A signal's handler runs while it waits; when that raises
        (KeyboardInterrupt), the wait is given up."""
        held = Held(self._alive)
        try:
            self._take(held)
        except BaseException:
            held.release(False)
            raise
        return held

    def _take(self, held: Held) -> None:
        if self._wait == 0:
            held._take(self._get)
            return
        waiting = Waiting()
        try:
            waiting.begin(self._begin)
            if not waiting.answered():
                ready = select.poll()
                ready.register(waiting.descriptor(), select.POLLIN)
                ready.poll()
            held._take(waiting.finish)
        except BaseException:
            waiting.abandon()
            raise

    async def acquire_async(self) -> Held:
        """The same beside other tasks; a task that is cancelled gives its place up."""
        held = Held(self._alive)
        try:
            await self._take_async(held)
        except BaseException:
            held.release(False)
            raise
        return held

    async def _take_async(self, held: Held) -> None:
        waiting = Waiting()
        try:
            waiting.begin(self._begin)
            if not waiting.answered():
                await self._answer(waiting)
            held._take(waiting.finish)
        except BaseException:
            waiting.abandon()
            raise

    async def _answer(self, waiting: Waiting) -> None:
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

    def _entered(self, held: Held) -> None:
        self._uses.setdefault(_whose(), []).append(held)

    def _not_entered(self, held: Held) -> None:
        held.release(False)
        for uses in list(self._uses.values()):
            if held in uses:
                uses.remove(held)

    def _left(self, kind: Exits) -> None:
        whose = _whose()
        if not self._uses.get(whose):
            # A generator may be closed, and an ExitStack left, by another task or thread.
            others = [one for one, uses in list(self._uses.items()) for _ in uses]
            if len(others) != 1:
                raise RuntimeError("the block was entered by another task or thread; use "
                                   "`with lock.acquire()` or `with await lock.acquire_async()`")
            whose = others[0]
        held = self._uses[whose].pop()
        try:
            if not self._uses[whose]:
                del self._uses[whose]
        finally:
            held.release(kind is None)

    def __enter__(self) -> Held:
        held = Held(self._alive)
        try:
            self._take(held)
            self._entered(held)
        except BaseException:
            self._not_entered(held)
            raise
        return held

    def __exit__(self, kind: Exits, error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self._left(kind)

    async def __aenter__(self) -> Held:
        held = Held(self._alive)
        try:
            await self._take_async(held)
            self._entered(held)
        except BaseException:
            self._not_entered(held)
            raise
        return held

    async def __aexit__(self, kind: Exits, error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        self._left(kind)

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
