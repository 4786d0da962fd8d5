"""The shape of filelock.FileLock: a program changes its import."""
import math
import os
import threading
from types import TracebackType
from typing import Dict, Optional, Type, Union

from ._answers import Busy, Timeout
from ._held import Held
from ._lock import Lock


class FileLock:
    """A lock file at a path, reentrant within a thread; a negative timeout waits for ever."""

    def __init__(self, lock_file: Union[str, "os.PathLike[str]"], timeout: float = -1,
                 mode: int = 0o644) -> None:
        self.lock_file = os.path.abspath(os.fspath(lock_file))
        self.timeout = timeout
        self.mode = mode
        self._local = threading.local()
        self._locks: Dict[float, Lock] = {}  # the last one; building its options takes longer

    @property
    def lock_counter(self) -> int:
        """How often this thread has acquired it. A forked child has none of what its parent has."""
        mine = getattr(self._local, "process", None) == os.getpid()
        return int(self._local.count) if mine else 0

    @property
    def is_locked(self) -> bool:
        return self.lock_counter > 0

    def _lock(self, wait: float) -> Lock:
        lock = self._locks.get(wait)  # once: another thread may put another one there
        if lock is None:
            lock = Lock(self.lock_file, wait=wait, mode=self.mode)
            self._locks = {wait: lock}
        return lock

    def _count(self, count: int) -> None:
        self._local.process, self._local.count = os.getpid(), count

    def _take(self, wait: float) -> None:
        try:
            held = self._lock(wait).acquire()
        except Busy as busy:
            raise Timeout(self.lock_file) from busy
        try:
            self._local.held = held
            self._count(1)
        except BaseException:  # a signal's handler raised
            held.release(False)
            raise

    def acquire(self, timeout: Optional[float] = None, poll_interval: Optional[float] = None, *,
                blocking: bool = True) -> "FileLock":
        """Raises Timeout (a TimeoutError) when the lock is held for longer than `timeout` seconds;
        a negative one is for ever. `poll_interval` has no effect: a wait does not look at times."""
        if self.lock_counter > 0:
            self._count(self.lock_counter + 1)
            return self
        wait = self.timeout if timeout is None else timeout
        self._take(0.0 if not blocking else math.inf if wait < 0 else wait)
        return self

    def release(self, force: bool = False) -> None:
        if self.lock_counter == 0:
            return
        self._count(0 if force else self.lock_counter - 1)
        if self._local.count == 0:
            held: Held = self._local.held
            del self._local.held
            held.release()

    def __enter__(self) -> "FileLock":
        before = self.lock_counter
        try:
            return self.acquire()
        except BaseException:  # a signal's handler may have raised after the admission
            if self.lock_counter > before:
                self.release()
            raise

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.release()
