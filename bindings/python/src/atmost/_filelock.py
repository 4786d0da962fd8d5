"""The shape of filelock.FileLock: a program changes its import."""
import math
import os
import threading
from types import TracebackType
from typing import Dict, Optional, Type, Union

from ._answers import Busy, Timeout
from ._lock import Held, Lock


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
        return int(getattr(self._local, "count", 0))

    @property
    def is_locked(self) -> bool:
        return self.lock_counter > 0

    def _lock(self, wait: float) -> Lock:
        if wait not in self._locks:
            self._locks = {wait: Lock(self.lock_file, wait=wait, mode=self.mode)}
        return self._locks[wait]

    def acquire(self, timeout: Optional[float] = None, *, blocking: bool = True) -> "FileLock":
        """Raises Timeout (a TimeoutError) when the lock is held for longer."""
        if self.lock_counter == 0:
            wait = self.timeout if timeout is None else timeout
            wait = 0.0 if not blocking else math.inf if wait < 0 else wait
            try:
                held = self._lock(wait).acquire()
            except Busy as busy:
                raise Timeout(self.lock_file) from busy
            self._local.held = held
        self._local.count = self.lock_counter + 1
        return self

    def release(self, force: bool = False) -> None:
        if self.lock_counter == 0:
            return
        self._local.count = 0 if force else self.lock_counter - 1
        if self._local.count == 0:
            held: Held = self._local.held
            del self._local.held
            held.release()

    def __enter__(self) -> "FileLock":
        return self.acquire()

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.release()
