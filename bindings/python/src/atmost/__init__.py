"""At most N at a time, at most once every T, for at most D: libatmost for Python.

    with atmost.Lock("nightly", wait=30) as lock:
        ...

Durations are seconds; math.inf means for ever.
"""
from ._lock import (
    AUTO,
    Atom,
    AtmostError,
    Busy,
    Held,
    Lock,
    Refused,
    Timeout,
    TooSoon,
    UsageError,
    may_be_killed,
)
from ._filelock import FileLock

__all__ = ["AUTO", "Atom", "AtmostError", "Busy", "FileLock", "Held", "Lock", "Refused", "Timeout",
           "TooSoon", "UsageError", "may_be_killed"]
