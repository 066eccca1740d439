# SPDX-License-Identifier: MIT
"""Named locks for scripts."""

from __future__ import annotations

import os
import threading
from types import TracebackType
from typing import Dict, Literal, Optional, Tuple, Union

from ._furwock import Mutex, Region
from ._grant import Grant

_REGION_SIZE = 2 << 20  # 512 names, 1024 threads at a time
_FILE_SIZE = 1 << 16
_NAME_MAX = 39  # bytes: FW_REGION_NAME_MAX

# What threads of this process hold, by name: a region that is closed would release it, and
# lock("x").acquire() keeps no reference itself.
_held: Dict[Tuple[str, int], "NamedLock"] = {}


class NamedLock:
    """What lock() returns: a context manager, with acquire and release.

    Nothing is opened before the first acquire, so one can be made at import and used after fork.
    """

    def __init__(self, name: str, timeout: Optional[float], region: Optional[Region],
                 relock: Literal["error", "wait", "count"]) -> None:
        self.name = name
        self.timeout = timeout
        self._region = region
        self._relock = relock
        self._mutex: Optional[Mutex] = None

    @property
    def mutex(self) -> Mutex:
        """The Mutex behind it, with its attributes owner, generation, deaths and last_death."""
        if self._mutex is None:
            region, inside = self._region, self.name
            if region is None:
                region, inside = _region_of(self.name)
            self._mutex = Mutex(region, _short(inside), on_death="repeat",
                                relock=self._relock)
        return self._mutex

    def acquire(self, blocking: bool = True, timeout: Optional[float] = None) -> Union[Grant, bool]:
        """As Mutex.acquire: a Grant, or False if it timed out. `timeout` None: that of lock()."""
        if timeout is None:
            timeout = self.timeout
        grant = self.mutex.acquire(blocking, timeout)
        if grant:
            _held.setdefault((self.name, threading.get_ident()), self)
        return grant

    def release(self) -> None:
        """Release it. NotHeld: the calling thread does not hold it."""
        self.mutex.release()
        self._forget()

    def locked(self) -> bool:
        """Whether a living thread, of any process, has it."""
        return self.mutex.locked()

    def __enter__(self) -> Grant:
        grant = self.acquire()
        if not isinstance(grant, Grant):
            owner = self.mutex.owner
            raise TimeoutError(f"lock {self.name!r}: not within {self.timeout} s"
                               + (f"; process {owner[0]} has it" if owner else ""))
        return grant

    def __exit__(self, exc_type: Optional[type[BaseException]], exc: Optional[BaseException],
                 traceback: Optional[TracebackType]) -> None:
        self.mutex.__exit__(exc_type, exc, traceback)
        self._forget()

    def _forget(self) -> None:
        if not self.mutex._is_mine():
            _held.pop((self.name, threading.get_ident()), None)

    def __repr__(self) -> str:
        return f"furwock.lock({self.name!r})"


def lock(name: Union[str, "os.PathLike[str]"], timeout: Optional[float] = None, *,
         region: Optional[Region] = None,
         relock: Literal["error", "wait", "count"] = "error") -> NamedLock:
    """A lock that all processes find by its name, for scripts:

        with furwock.lock("backup", timeout=10) as grant:
            if grant.owner_died:
                remove_half_written_files()
            back_up()

    name     without a '/': a lock of this user, in /dev/shm; also between containers that share
             /dev/shm. (FURWOCK_LOCKS in the environment names another region for them.) A path
             with a '/': a lock in that file, for all who may read and write it; the file is made
             (64 KiB, permissions 0600), and stays. It cannot be the file of data.
    timeout  seconds; `with` raises TimeoutError then. None: wait forever
    region   look up the name in that Region instead, as in one that users share
    relock   as for Mutex

    If a process dies while it holds the lock, the next one gets it at once, and its grant has
    owner_died. That is repeated to each holder until a `with` block is left without an exception,
    or grant.consistent() is called.

    FileNotFoundError, PermissionError: the file. NoSlot: 512 names of the user are in use since the
    system was booted. Error, CorruptRegion.
    """
    return NamedLock(os.fspath(name), timeout, region, relock)


def _region_of(name: str) -> tuple[Region, str]:
    if not name:
        raise ValueError("a lock needs a name")
    if "/" in name:
        return Region(name, size=_FILE_SIZE, renew=True), "lock"
    region = os.environ.get("FURWOCK_LOCKS") or f"/furwock.{os.geteuid()}"
    return Region(region, size=_REGION_SIZE), name


def _short(name: str) -> str:
    """The name in the directory; of a longer one, a digest."""
    if len(name.encode()) <= _NAME_MAX:
        return name
    import hashlib  # pylint: disable=import-outside-toplevel
    return "#" + hashlib.sha256(name.encode()).hexdigest()[:_NAME_MAX - 1]
