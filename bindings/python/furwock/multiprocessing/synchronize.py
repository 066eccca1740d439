# SPDX-License-Identifier: MIT
"""The locks of multiprocessing, over furwock's.

They take their arguments from the standard classes and everything else from furwock's: acquiring
and releasing runs no Python code.
"""
from __future__ import annotations

import os
import threading
from multiprocessing import process
from typing import Any, Callable, Literal, Optional

import furwock

__all__ = ["Lock", "RLock", "Semaphore", "BoundedSemaphore", "Condition", "Event", "Barrier"]


def _owner_name(lock: furwock.Mutex) -> str:
    """The name of the owner, as in the standard's repr."""
    if lock._is_mine():
        name = process.current_process().name
        if threading.current_thread().name != "MainThread":
            name += "|" + threading.current_thread().name
        return name
    owner = lock.owner
    if owner is None:
        return "None"
    return "SomeOtherThread" if owner[0] == os.getpid() else "SomeOtherProcess"


class _SemLock:
    """What the standard module's queues ask of the semaphore inside of a lock.

    They come to have furwock's locks when they are made with one of its contexts, as
    concurrent.futures does with a mp_context.
    """

    def __init__(self, obj: Any) -> None:
        self._obj = obj

    def _is_mine(self) -> bool:
        return bool(self._obj._is_mine())

    def _count(self) -> int:
        return int(self._obj._count())

    def _get_value(self) -> int:
        if isinstance(self._obj, furwock.Mutex):
            return int(not self._obj.locked())
        return int(self._obj.get_value())

    def _is_zero(self) -> bool:
        return self._get_value() == 0


class Lock(furwock.Mutex):
    """A non-recursive lock, which only the holding thread may release (else ValueError).

    If its holder dies the next one gets it; deaths counts that, and the first one warns
    (OwnerDiedWarning).
    """

    def __new__(cls, *, ctx: Any = None) -> "Lock":
        return super().__new__(cls, on_death="consistent", relock="wait", misuse=ValueError)

    @property
    def _semlock(self) -> _SemLock:
        return _SemLock(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}(owner={_owner_name(self)})>"


class RLock(furwock.Mutex):
    """A lock that its holder can acquire again; as many releases make it free."""

    def __new__(cls, *, ctx: Any = None) -> "RLock":
        return super().__new__(cls, on_death="consistent", relock="count", misuse=AssertionError)

    @property
    def _semlock(self) -> _SemLock:
        return _SemLock(self)

    def __repr__(self) -> str:
        owner = _owner_name(self)
        count: Any = self._count()
        if count == 0 and owner != "None":
            count = "nonzero"
        return f"<{type(self).__name__}({owner}, {count})>"


class Semaphore(furwock.Semaphore):
    """A semaphore.

    What a process has acquired more often than released comes back when it dies, unless a process
    has ever released more than it had acquired: then the semaphore carries signals between
    processes, and nothing comes back.
    """

    def __new__(cls, value: int = 1, *, ctx: Any = None) -> "Semaphore":
        return super().__new__(cls, value)

    @property
    def _semlock(self) -> _SemLock:
        return _SemLock(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}(value={self.get_value()})>"


class BoundedSemaphore(furwock.Semaphore):
    """A semaphore whose value never exceeds the one that it began with (else ValueError)."""

    def __new__(cls, value: int = 1, *, ctx: Any = None) -> "BoundedSemaphore":
        return super().__new__(cls, value, value)

    @property
    def _semlock(self) -> _SemLock:
        return _SemLock(self)

    def __repr__(self) -> str:
        return (f"<{type(self).__name__}(value={self.get_value()}, "
                f"maxvalue={self.bound})>")


class Condition(furwock.Condition):
    """A condition variable, with a Lock or an RLock of this module (default: a new RLock)."""

    def __new__(cls, lock: Optional[furwock.Mutex] = None, *, ctx: Any = None) -> "Condition":
        return super().__new__(cls, RLock() if lock is None else lock)


class Event(furwock.Event):
    """An event."""

    def __new__(cls, *, ctx: Any = None) -> "Event":
        return super().__new__(cls)

    def __repr__(self) -> str:
        status = "set" if self.is_set() else "unset"
        return f"<{type(self).__qualname__} at {id(self):#x} {status}>"


class Barrier(furwock.Barrier):
    """A barrier of `parties` parties.

    If a process dies that waits in it, the barrier breaks (BrokenBarrierError for all), or, with
    on_death="go_on", goes on without it.
    """

    def __new__(cls, parties: int, action: Optional[Callable[[], Any]] = None,
                timeout: Optional[float] = None, *,
                on_death: Literal["break", "go_on"] = "break", ctx: Any = None) -> "Barrier":
        return super().__new__(cls, parties, action, timeout, on_death=on_death)
