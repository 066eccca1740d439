# SPDX-License-Identifier: MIT
"""Whose turn it is among the tasks of one loop."""

from __future__ import annotations

import asyncio
import weakref
from collections import deque
from typing import Any, Callable, Optional, TypeVar, cast

from ._aio_watch import wait_until

_T = TypeVar("_T")


class Turns:
    """A lock between the tasks of one loop: first come, first served."""

    def __init__(self) -> None:
        self.is_taken = False
        self._queue: deque[asyncio.Future[bool]] = deque()

    async def take(self, deadline: Optional[float]) -> bool:
        """Waits for the turn; False: the deadline has passed."""
        if not self.is_taken:
            self.is_taken = True
            self._keep()
            return True
        loop = asyncio.get_running_loop()
        future: asyncio.Future[bool] = loop.create_future()
        self._queue.append(future)
        try:
            return await wait_until(future, deadline)
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.result():
                self.give()  # it came together with the cancellation
            raise
        finally:
            if future in self._queue:
                self._queue.remove(future)

    def give(self) -> None:
        """Gives the turn to the next task."""
        while self._queue:
            future = self._queue.popleft()
            if not future.done():
                future.set_result(True)
                return
        self.is_taken = False
        self._keep()

    def _is_used(self) -> bool:
        return self.is_taken

    def _keep(self) -> None:
        """Here as long as it is used: whoever acquired it may have dropped the wrapper since."""
        used = _used.setdefault(asyncio.get_running_loop(), set())
        if self._is_used():
            used.add(self)
        else:
            used.discard(self)


class Readers(Turns):
    """The turns of a read-write lock: readers of one loop share what the first one acquired."""

    # The number of readers in a row before all must leave: a writer elsewhere waits for that.
    longest = 64

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.row = 0
        self.writes = False
        self._last: Optional[asyncio.Future[bool]] = None

    def share(self) -> bool:
        """Lets one more reader in, if there is one."""
        if self.count == 0 or self.row >= self.longest:
            return False
        self.count += 1
        self.row += 1
        return True

    def enter(self) -> None:
        """The first reader has the lock."""
        self.count = self.row = 1
        self._keep()

    def leave(self) -> bool:
        """A reader leaves: was it the last one?"""
        self.count -= 1
        if self.count == 0 and self._last is not None and not self._last.done():
            self._last.set_result(True)
        self._keep()
        return self.count == 0

    def _is_used(self) -> bool:
        return self.is_taken or self.count > 0

    async def empty(self, deadline: Optional[float]) -> bool:
        """Waits, having the turn, until none is left; False: the deadline has passed."""
        if self.count == 0:
            return True
        self._last = asyncio.get_running_loop().create_future()
        try:
            return await wait_until(self._last, deadline)
        finally:
            self._last = None


_states: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Any, weakref.ref[Any]]]
_states = weakref.WeakKeyDictionary()
_used: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, set[Turns]]
_used = weakref.WeakKeyDictionary()


def shared(kind: Callable[[], _T], wrapped: Any) -> _T:
    """What all wrappers of one object share in the running loop, as long as it is used."""
    states = _states.setdefault(asyncio.get_running_loop(), {})
    region, _, name, where = wrapped.handle[:4]
    key = (kind, region, name, where)
    reference = states.get(key)
    state = None if reference is None else reference()
    if state is None:
        state = kind()
        states[key] = weakref.ref(state, lambda _: states.pop(key, None))
    return cast(_T, state)
