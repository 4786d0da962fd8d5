"""Requests and admissions; every decision is libatmost's."""
import asyncio
import functools
import os
import select
import threading
from types import TracebackType
from typing import Any, Callable, Dict, List, Optional, Type, TypeVar, Union

from ._answers import Atom, Check, Entry, Refused, UsageError, refusal
from ._atmost import ffi, lib

AUTO = -1.0
# A type costs more to read than to use.
_LOCK = ffi.typeof("atmost_lock**")
_REQUEST = ffi.typeof("atmost_request**")
Function = TypeVar("Function", bound=Callable[..., Any])
Exits = Optional[Type[BaseException]]

_CONSTANTS = {"fail": lib.ATMOST_FAIL, "replace": lib.ATMOST_REPLACE, "join": lib.ATMOST_JOIN,
              "supersede": lib.ATMOST_SUPERSEDE,
              "plain": lib.ATMOST_PLAIN, "shared": lib.ATMOST_SHARED,
              "exclusive": lib.ATMOST_EXCLUSIVE, "from_start": lib.ATMOST_FROM_START,
              "from_finish": lib.ATMOST_FROM_FINISH, "from_success": lib.ATMOST_FROM_SUCCESS}


def may_be_killed(agreed: bool) -> bool:
    """Whether a taker may stop this program when a lock that it takes from now on is overdue."""
    return bool(lib.atmost_may_be_killed(agreed))


@ffi.def_extern(name="lost")  # type: ignore[misc]
def _lost(context: Any, token: int) -> None:
    ffi.from_handle(context)(int(token))


class Held:
    """An admission. It ends by release(), with the process, or when nobody refers to it."""

    __slots__ = ("_lock", "_alive", "token", "slot", "__weakref__")

    def __init__(self, lock: Any, alive: Any) -> None:
        self._lock = lock
        self._alive = alive  # what on_lost refers to
        self.token = int(lib.atmost_token(lock))
        self.slot = int(lib.atmost_slot(lock))

    @property
    def held(self) -> bool:
        """False once it is released, or a taker has it."""
        return self._lock is not None and bool(lib.atmost_held(self._lock))

    def release(self, success: bool = True) -> None:
        """Again: nothing. In a forked child: the parent's lock stays."""
        lock, self._lock = self._lock, None
        if lock is not None:
            lib.atmost_release(lock, success)

    def __enter__(self) -> "Held":
        return self

    def __exit__(self, kind: Exits, error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.release(kind is None)

    def __del__(self) -> None:
        if getattr(self, "_lock", None) is not None:
            self.release(False)


class _Uses(threading.local):
    """Of each thread: what its blocks and its tasks' blocks hold."""

    def __init__(self) -> None:
        self.uses: List[Held] = []
        self.tasks: Dict[Any, List[Held]] = {}


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
                 elapsed_from: str = "from_start", wait_too_soon: bool = False,
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
            if value is not None:
                self._set(field, value)
        self._wait = wait
        self._stack = _Uses()
        get, begin = ((lib.atmost_get_atom, lib.atmost_begin_atom) if self._is_atom else
                      (lib.atmost_get, lib.atmost_begin))
        self._get = functools.partial(get, *self._texts, self._options)
        self._begin_request = functools.partial(begin, *self._texts, self._options)

    def _text(self, value: Union[str, "os.PathLike[str]", None]) -> Any:
        if value is None:
            return ffi.NULL
        encoded = os.fsencode(value)
        if b"\0" in encoded:
            raise UsageError("a text with a NUL byte", lib.ATMOST_USAGE)
        self._alive.append(ffi.new("char[]", encoded))
        return self._alive[-1]

    def _set(self, field: str, value: Any) -> None:
        if field in ("sharing", "on_busy", "elapsed_from"):
            if value not in _CONSTANTS:
                raise UsageError(f"{field}: {value!r}", lib.ATMOST_USAGE)
            value = _CONSTANTS[value]
        elif field in ("directory", "id", "log", "rate"):
            value = self._text(value)
        elif field == "also":
            self._alive.append(ffi.new("char*[]", [self._text(one) for one in value] + [ffi.NULL]))
            value = self._alive[-1]
        elif field == "on_lost":
            self._alive.append(ffi.new_handle(value))
            self._options.context = self._alive[-1]
            value = lib.lost
        setattr(self._options, field, value)

    def _begin(self) -> Any:
        request = ffi.new(_REQUEST)
        answer = self._begin_request(request)
        if answer != lib.ATMOST_ADMITTED:
            raise refusal(answer)
        return request[0]

    def _finish(self, request: Any) -> Held:
        lock = ffi.new(_LOCK)
        answer = lib.atmost_finish(request, lock)
        if answer != lib.ATMOST_ADMITTED:
            raise refusal(answer)
        return Held(lock[0], self._alive)

    def _abandon(self, request: Any) -> None:
        lib.atmost_cancel(request)
        lock = ffi.new(_LOCK)
        if lib.atmost_finish(request, lock) == lib.ATMOST_ADMITTED:
            lib.atmost_release(lock[0], 0)

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
        if self._wait == 0:
            lock = ffi.new(_LOCK)
            answer = self._get(lock)
            if answer != lib.ATMOST_ADMITTED:
                raise refusal(answer)
            return Held(lock[0], self._alive)
        request = self._begin()
        if lib.atmost_answered(request):
            return self._finish(request)
        try:
            ready = select.poll()
            ready.register(lib.atmost_descriptor(request), select.POLLIN)
            ready.poll()
        except BaseException:
            self._abandon(request)
            raise
        return self._finish(request)

    async def acquire_async(self) -> Held:
        """The same beside other tasks; a task that is cancelled gives its place up."""
        loop = asyncio.get_running_loop()
        request = self._begin()
        if lib.atmost_answered(request):
            return self._finish(request)
        answered = asyncio.Event()
        descriptor = lib.atmost_descriptor(request)
        loop.add_reader(descriptor, answered.set)
        try:
            await answered.wait()
        except asyncio.CancelledError:
            lib.atmost_cancel(request)
            try:
                await answered.wait()  # a takeover that has begun is finished first
            finally:
                loop.remove_reader(descriptor)
                self._abandon(request)
            raise
        except BaseException:
            loop.remove_reader(descriptor)
            self._abandon(request)
            raise
        loop.remove_reader(descriptor)
        return self._finish(request)

    def __enter__(self) -> Held:
        held = self.acquire()
        self._stack.uses.append(held)
        return held

    def __exit__(self, kind: Exits, error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self._stack.uses.pop().release(kind is None)

    async def __aenter__(self) -> Held:
        held = await self.acquire_async()
        task = asyncio.current_task()
        self._stack.tasks.setdefault(task, []).append(held)
        return held

    async def __aexit__(self, kind: Exits, error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        tasks = self._stack.tasks
        uses = tasks[asyncio.current_task()]
        uses.pop().release(kind is None)
        if not uses:
            del tasks[asyncio.current_task()]

    def __call__(self, function: Function) -> Function:
        if asyncio.iscoroutinefunction(function):
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
