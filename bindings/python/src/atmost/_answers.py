"""What libatmost answers, as Python's types."""
import atexit
from typing import NamedTuple, Optional

from . import _atmost


class AtmostError(Exception):
    """Not admitted: `answer` as atmost(1) exits, `why` in one word, and a message."""

    def __init__(self, message: str, answer: int = 0, why: str = "",
                 retry_in: float = 0.0) -> None:
        super().__init__(message)
        self.answer, self.why, self.retry_in = answer, why, retry_in


class Refused(AtmostError):
    """An answer, not an error: busy or too soon."""


class Busy(Refused):
    """Held by others."""


class TooSoon(Refused):
    """Admitted too recently; `retry_in` has the seconds until it is not."""


class UsageError(AtmostError, ValueError):
    """An argument makes no sense."""


class Timeout(TimeoutError):
    """What FileLock raises, as filelock does."""

    def __init__(self, lock_file: str) -> None:
        super().__init__(f"The file lock '{lock_file}' could not be acquired.")
        self.lock_file = lock_file


class Atom(NamedTuple):
    """What GetLock() of the paper locks."""

    operator: str
    operand: str
    host: Optional[str] = None


class Entry(NamedTuple):
    """A holder, waiter or drained slot, as atmost list shows it; None: not known, or none."""

    state: str  # held, kept, stopped, read-locked, foreign, waiting, drained
    slot: Optional[int]
    position: Optional[int]  # of a waiter in its queue, from 1
    pid: Optional[int]
    kept_for: Optional[int]  # the process on whose behalf it is held
    user: Optional[int]
    token: Optional[int]
    start: Optional[float]  # seconds since 1970
    age: Optional[float]
    expires: float  # seconds until it is overdue by its own record
    id: str  # texts that any user of the lock may have written
    command: str
    verified: bool  # the kernel confirms that this process holds the slot


class Check(NamedTuple):
    """What acquire() would answer now if it did not wait."""

    admitted: bool
    held: int  # how many hold the lock
    why: str  # "" or one word
    retry_in: float


_KINDS = {_atmost.BUSY: Busy, _atmost.TOO_SOON: TooSoon, _atmost.USAGE: UsageError}


def _refusal(answer: int, message: str, why: str, retry_in: float) -> AtmostError:
    return _KINDS.get(answer, AtmostError)(message, answer, why, retry_in)


async def _nothing() -> None:
    pass


_atmost.set_up(_refusal, _nothing)
atexit.register(_atmost.end)
