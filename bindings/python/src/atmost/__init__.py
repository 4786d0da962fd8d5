"""At most N at a time, at most once every T, for at most D: libatmost for Python.

    with atmost.Lock("nightly", wait=30) as lock:
        ...

Durations are seconds; math.inf means for ever.
"""
try:
    from . import _atmost as _atmost
except ImportError as _error:
    if "libatmost" not in str(_error):
        raise
    raise ImportError(f"{_error}: is it installed? Then run ldconfig as root, or name its folder "
                      "in LD_LIBRARY_PATH") from _error
from ._answers import (
    Atom,
    AtmostError,
    Busy,
    Check,
    Entry,
    Refused,
    Timeout,
    TooSoon,
    UsageError,
)
from ._atmost import Held
from ._filelock import FileLock
from ._lock import AUTO, Lock, may_be_killed

__version__ = "0.1.0"
__all__ = ["AUTO", "Atom", "AtmostError", "Busy", "Check", "Entry", "FileLock", "Held", "Lock",
           "Refused", "Timeout", "TooSoon", "UsageError", "may_be_killed"]
