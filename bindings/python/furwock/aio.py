# SPDX-License-Identifier: MIT
"""furwock's locks between processes for asyncio: a task waits, and its loop goes on.

    lock = furwock.aio.Mutex(furwock.Mutex())

    async def work() -> None:
        async with lock as grant:
            if grant.owner_died:
                repair()

Each class wraps an object of furwock, which other tasks, threads and processes use at the same
time, with or without asyncio; any number of wrappers of one object are the same. A loop is told by
a descriptor what can be had: it does not ask again and again, and does nothing as long as nobody
waits.

The tasks of a loop are one thread, and locks belong to threads. So tasks of one loop take turns
first, in the order in which they came, and then the first one contends for the object. A task that
is cancelled, or times out, leaves its turn to the next one; what it had not acquired is not lost. A
lock is released in the loop in which it was acquired. Time-outs are in seconds. A loop never waits
in a thread's stead, except for 4 ms at most after eight tries that others forestalled.
"""

from __future__ import annotations

import asyncio
import weakref
from types import TracebackType
from typing import Any, Callable, Generic, Optional, TypeVar, Union

from . import _furwock
from ._aio_turns import Readers, Turns, shared
from ._aio_watch import token_of, wait_for_chance
from ._grant import Grant

__all__ = ["Condition", "Event", "Mutex", "Permits", "RWLock", "RWLockSide", "Semaphore"]

_T = TypeVar("_T")
_O = TypeVar("_O")

# Threads that take a lock all the time can keep it from a loop, which comes to try when they let go
# of the interpreter: when they wait. After this many tries without success the loop stands in the
# lock's wait queue itself, for a limited time.
_PATIENCE = 8
_FIRST_WAIT_S = 0.0005
_LONGEST_WAIT_S = 0.004

# What a task waits for at a read-write lock.
_TO_READ, _TO_CLOSE, _TO_DRAIN = 0, 1, 2


class _Wrapper(Generic[_O]):
    """An object, and for each loop what its tasks share."""

    def __init__(self, wrapped: _O) -> None:
        self.wrapped = wrapped
        self._kept: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Any]
        self._kept = weakref.WeakKeyDictionary()

    def _state(self, kind: Callable[[], _T]) -> _T:
        loop = asyncio.get_running_loop()
        if loop not in self._kept:
            self._kept[loop] = shared(kind, self.wrapped)
        return self._kept[loop]  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<furwock.aio.{type(self).__name__} of {self.wrapped!r}>"


def _deadline(timeout: Optional[float]) -> Optional[float]:
    return None if timeout is None else asyncio.get_running_loop().time() + max(timeout, 0)


def _try(wrapped: Any, misses: int) -> Union[Grant, bool]:
    """Takes it if it is free; after many misses as a thread that waits, for a moment."""
    if misses < _PATIENCE or getattr(wrapped, "_is_mine", bool)():
        return wrapped.acquire(False)  # type: ignore[no-any-return]
    pause = min(_FIRST_WAIT_S * 2 ** min(misses - _PATIENCE, 10), _LONGEST_WAIT_S)
    return wrapped.acquire(timeout=pause)  # type: ignore[no-any-return]


async def _contend(wrapped: Any, deadline: Optional[float],
                   side: Any = None) -> Union[Grant, bool]:
    """The Grant of the object, or of a side of it; or False: the deadline has passed."""
    misses = 0
    while True:
        grant = _try(side or wrapped, misses)
        if grant:
            return grant
        if not await wait_for_chance(wrapped, 0, deadline):
            return _try(side or wrapped, 0)
        misses += 1


class _AsyncWith:
    """`async with`, by acquire and release."""

    async def acquire(self, timeout: Optional[float] = None) -> Union[Grant, bool]:
        """Acquires it; False after the time-out."""
        raise NotImplementedError

    def release(self) -> None:
        """Releases it."""
        raise NotImplementedError

    async def __aenter__(self) -> Grant:
        grant = await self.acquire()
        assert isinstance(grant, Grant)
        return grant

    async def __aexit__(self, exc_type: Optional[type[BaseException]],
                        exc: Optional[BaseException],
                        traceback: Optional[TracebackType]) -> None:
        self._leave(exc_type, exc, traceback)

    def _leave(self, *exception: Any) -> None:
        del exception
        self.release()


class Mutex(_Wrapper[_furwock.Mutex], _AsyncWith):
    """A furwock.Mutex for tasks: tasks of one loop exclude each other, too."""

    async def acquire(self, timeout: Optional[float] = None) -> Union[Grant, bool]:
        """A Grant, as furwock.Mutex.acquire returns; False after the time-out."""
        deadline, turns = _deadline(timeout), self._state(Turns)
        if not await turns.take(deadline):
            return False
        try:
            grant = await _contend(self.wrapped, deadline)
        except BaseException:
            turns.give()
            raise
        if not grant:
            turns.give()
        return grant

    def release(self) -> None:
        """Releases it, in the loop in which it was acquired."""
        self.wrapped.release()
        self._state(Turns).give()

    def _leave(self, *exception: Any) -> None:
        try:
            self.wrapped.__exit__(*exception)
        finally:
            self._state(Turns).give()

    def locked(self) -> bool:
        """Does a living thread of any process hold it?"""
        return self.wrapped.locked()


class _Units(_Wrapper[_O], _AsyncWith):
    """What several tasks may have at once: they take turns in acquiring."""

    async def acquire(self, timeout: Optional[float] = None) -> Union[Grant, bool]:
        """A Grant; False after the time-out."""
        deadline, turns = _deadline(timeout), self._state(Turns)
        if not await turns.take(deadline):
            return False
        try:
            return await _contend(self.wrapped, deadline)
        finally:
            turns.give()


class Semaphore(_Units[_furwock.Semaphore]):
    """A furwock.Semaphore for tasks. Units belong to the process, so any task may release."""

    def release(self, n: int = 1) -> None:
        """Gives `n` units back, or adds them."""
        self.wrapped.release(n)


class Permits(_Units[_furwock.Permits]):
    """furwock.Permits for tasks. They belong to the loop's thread: any of its tasks may release."""

    def release(self) -> None:
        """Gives back any one of the loop's permits."""
        self.wrapped.release()


class Event(_Wrapper[_furwock.Event]):
    """A furwock.Event for tasks."""

    def is_set(self) -> bool:
        """Is it set?"""
        return self.wrapped.is_set()

    def set(self) -> None:
        """Sets it, and wakes all that wait, in any process."""
        self.wrapped.set()

    def clear(self) -> None:
        """Clears it."""
        self.wrapped.clear()

    async def wait(self, timeout: Optional[float] = None) -> bool:
        """True if it is set, or was while this task waited; False after the time-out."""
        deadline, token = _deadline(timeout), token_of(self.wrapped)
        if self.wrapped.is_set():
            return True
        return await wait_for_chance(self.wrapped, token, deadline) or self.wrapped.is_set()


class Condition(_Wrapper[_furwock.Condition], _AsyncWith):
    """A furwock.Condition for tasks."""

    def __init__(self, wrapped: _furwock.Condition) -> None:
        super().__init__(wrapped)
        self.lock = Mutex(wrapped.lock)

    async def acquire(self, timeout: Optional[float] = None) -> Union[Grant, bool]:
        """Acquires the lock, as Mutex.acquire."""
        return await self.lock.acquire(timeout)

    def release(self) -> None:
        """Releases the lock."""
        self.lock.release()

    def _leave(self, *exception: Any) -> None:
        self.lock._leave(*exception)  # pylint: disable=protected-access

    def notify(self, n: int = 1) -> None:
        """Wakes `n` waiters, in any process. The lock is held."""
        self.wrapped.notify(n)

    def notify_all(self) -> None:
        """Wakes all waiters, in all processes. The lock is held."""
        self.wrapped.notify_all()

    async def wait(self, timeout: Optional[float] = None) -> Union[Grant, bool]:
        """Releases the lock, waits to be notified, and acquires it again, whatever happens.

        True; False after the time-out; a Grant if a holder of the lock has died meanwhile. A lock
        that the loop holds several times is released once only.
        """
        deadline, cond = _deadline(timeout), self.wrapped
        began = cond._begin()  # pylint: disable=protected-access
        takes, grant = False, None
        try:
            while not takes and grant is None:
                in_time, grant = await self._wait_once(deadline)
                takes = cond._is_notified(began)  # pylint: disable=protected-access
                if not in_time:
                    break
        finally:
            cond._end(began, takes)  # pylint: disable=protected-access
        return grant if grant is not None else takes

    async def _wait_once(self, deadline: Optional[float]) -> tuple[bool, Optional[Grant]]:
        """Whether it was before the deadline, and the Grant of a lock whose holder has died."""
        token = token_of(self.wrapped)
        raised: Optional[BaseException] = None
        in_time: bool = False
        self.lock.release()
        try:
            in_time = await wait_for_chance(self.wrapped, token, deadline)
        except (asyncio.CancelledError, Exception) as error:  # pylint: disable=broad-except
            raised = error
        while True:
            try:
                grant = await self.lock.acquire()
                break
            except asyncio.CancelledError as error:
                raised = error
        if raised is not None:
            raise raised
        return in_time, grant if isinstance(grant, Grant) and grant.owner_died else None

    async def wait_for(self, predicate: Callable[[], _T], timeout: Optional[float] = None) -> _T:
        """Waits until predicate() is true, for at most `timeout` seconds; its last result."""
        deadline = _deadline(timeout)
        while True:
            result = predicate()
            if result:
                return result
            left = None if deadline is None else deadline - asyncio.get_running_loop().time()
            if left is not None and left <= 0:
                return result
            await self.wait(left)


class RWLockSide(_AsyncWith):
    """The reading or the writing side of an RWLock."""

    def __init__(self, lock: RWLock, is_write: bool) -> None:
        self._lock = lock
        self._is_write = is_write

    def _side(self) -> _furwock.RWLockSide:
        return self._lock.wrapped.write if self._is_write else self._lock.wrapped.read

    async def acquire(self, timeout: Optional[float] = None) -> Union[Grant, bool]:
        """A Grant; False after the time-out."""
        deadline, turns = _deadline(timeout), self._lock.turns()
        if not await turns.take(deadline):
            return False
        grant: Union[Grant, bool] = False
        try:
            grant = await self._contend(turns, deadline)
        finally:
            turns.writes = bool(grant) and self._is_write
            if not turns.writes:
                turns.give()
        return grant

    async def _contend(self, turns: Readers, deadline: Optional[float]) -> Union[Grant, bool]:
        if not self._is_write and turns.share():
            return Grant(1)
        if not await turns.empty(deadline):  # the loop's thread would wait for itself
            return False
        if self._is_write:
            return await self._write(deadline)
        grant = await _contend(self._lock.wrapped, deadline, self._side())
        if grant:
            turns.enter()
        return grant

    async def _write(self, deadline: Optional[float]) -> Union[Grant, bool]:
        """Closes the lock, and waits until the readers of other threads have left."""
        side, wrapped = self._side(), self._lock.wrapped
        while True:
            grant = side._begin()  # pylint: disable=protected-access
            if grant is None:
                return await self._drain(deadline)
            if grant or not await wait_for_chance(wrapped, _TO_CLOSE, deadline):
                return grant

    async def _drain(self, deadline: Optional[float]) -> Union[Grant, bool]:
        side, grant, in_time = self._side(), None, True
        try:
            while grant is None and in_time:
                in_time = await wait_for_chance(self._lock.wrapped, _TO_DRAIN, deadline)
                grant = side._go_on()  # pylint: disable=protected-access
        finally:
            if grant is None:
                side._give_up()  # pylint: disable=protected-access
        return grant or False

    def release(self) -> None:
        """Releases it, in the loop in which it was acquired."""
        self._give_back(self._side().release)

    def _leave(self, *exception: Any) -> None:
        self._give_back(lambda: self._side().__exit__(*exception))

    def _give_back(self, release: Callable[[], object]) -> None:
        turns = self._lock.turns()
        if not self._is_write and turns.count > 1:
            turns.leave()
            return
        is_ours = turns.writes if self._is_write else turns.count == 1
        try:
            release()  # raises if the loop does not hold it
        finally:
            if is_ours and self._is_write:
                turns.writes = False
                turns.give()
            elif is_ours:
                turns.leave()


class RWLock(_Wrapper[_furwock.RWLock]):
    """A furwock.RWLock for tasks: `async with lock.read:`, `async with lock.write:`.

    A task that waits to write lets no new readers in, as a thread that does.
    """

    def __init__(self, wrapped: _furwock.RWLock) -> None:
        super().__init__(wrapped)
        self.read = RWLockSide(self, False)
        self.write = RWLockSide(self, True)

    def turns(self) -> Readers:
        """Internal: whose turn it is in this loop."""
        return self._state(Readers)
