"""The shape of filelock.FileLock: a program changes its import."""
import math
import os
from typing import Dict, Optional, Union

from . import _atmost
from ._answers import Busy, Timeout
from ._lock import Lock


class FileLock(_atmost.FileLock):
    """A lock file at a path, reentrant within a thread; a negative timeout waits for ever."""

    def __init__(self, lock_file: Union[str, "os.PathLike[str]"], timeout: float = -1,
                 mode: int = 0o644) -> None:
        self.lock_file = os.path.abspath(os.fspath(lock_file))
        self.timeout = timeout
        self.mode = mode
        self._locks: Dict[float, Lock] = {}  # the last one; building its options takes longer

    @property
    def is_locked(self) -> bool:
        return self.lock_counter > 0

    def _lock(self, wait: float) -> Lock:
        lock = self._locks.get(wait)  # once: another thread may put another one there
        if lock is None:
            lock = Lock(self.lock_file, wait=wait, mode=self.mode)
            self._locks = {wait: lock}
        return lock

    def acquire(self, timeout: Optional[float] = None, poll_interval: Optional[float] = None, *,
                blocking: bool = True) -> "FileLock":
        """Raises Timeout (a TimeoutError) when the lock is held for longer than `timeout` seconds;
        a negative one is for ever. `poll_interval` has no effect: a wait does not look at times."""
        if self._again():
            return self
        wait = self.timeout if timeout is None else timeout
        try:
            self._hold(self._lock(0.0 if not blocking else math.inf if wait < 0 else wait))
        except Busy as busy:
            raise Timeout(self.lock_file) from busy
        return self
