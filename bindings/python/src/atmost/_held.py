"""What a program holds or waits for. Each has its owner in Python before the library is asked, since
a signal's handler may raise right after any call: whatever the library wrote then still ends."""
from types import TracebackType
from typing import Any, Callable, Optional, Type

from ._answers import refusal
from ._atmost import ffi, lib

# A type costs more to read than to use.
_LOCK = ffi.typeof("atmost_lock**")
_REQUEST = ffi.typeof("atmost_request**")
Exits = Optional[Type[BaseException]]


@ffi.def_extern(name="lost")  # type: ignore[misc]
def _lost(context: Any, token: int) -> None:
    ffi.from_handle(context)(int(token))


class Held:
    """An admission. It ends by release(), with the process, or when nobody refers to it. As a
    context manager it is released at the end of the block: a success unless an exception leaves."""

    __slots__ = ("_place", "_alive", "token", "slot", "__weakref__")

    token: int  # greater than that of every earlier admission
    slot: int  # the first one, from 1

    def __init__(self, alive: Any) -> None:
        self._alive = alive  # what on_lost refers to
        self._place = ffi.gc(ffi.new(_LOCK), lib.forget)  # no __del__, where a handler could raise

    def _take(self, call: Callable[[Any], Any]) -> None:
        """`call` has the library write the lock to a place."""
        answer = call(self._place)
        if answer != lib.ATMOST_ADMITTED:
            raise refusal(answer)
        self.token = int(lib.atmost_token(self._place[0]))
        self.slot = int(lib.atmost_slot(self._place[0]))

    @property
    def held(self) -> bool:
        """False once it is released, or a taker has it."""
        lock = self._place[0]
        return bool(lock) and bool(lib.atmost_held(lock))

    def release(self, success: bool = True) -> None:
        """Again: nothing. In a forked child: the parent's lock stays. Waits for an on_lost that is
        being called, unless that calls it."""
        lib.release(self._place, success)

    def __enter__(self) -> "Held":
        return self

    def __exit__(self, kind: Exits, error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.release(kind is None)


class Waiting:
    """A request of the library. Unless it is finished, it ends with its last reference."""

    __slots__ = ("_place",)

    def __init__(self) -> None:
        self._place = ffi.gc(ffi.new(_REQUEST), lib.abandon)

    def begin(self, call: Callable[[Any], Any]) -> None:
        answer = call(self._place)
        if answer != lib.ATMOST_ADMITTED:
            raise refusal(answer)

    def answered(self) -> bool:
        return bool(lib.atmost_answered(self._place[0]))

    def descriptor(self) -> int:
        """Readable when it is answered."""
        return int(lib.atmost_descriptor(self._place[0]))

    def cancel(self) -> None:
        lib.atmost_cancel(self._place[0])

    def finish(self, place: Any) -> int:
        """Blocks until it is answered."""
        return int(lib.finish(self._place, place))

    def abandon(self) -> None:
        """In place of finish(). A takeover that has begun is finished first."""
        lib.abandon(self._place)
