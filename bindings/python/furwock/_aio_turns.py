# SPDX-License-Identifier: MIT
"""Whose turn it is among the tasks of one loop."""

from __future__ import annotations

import asyncio
import weakref
from collections import deque
from typing import Any, Callable, Optional, TypeVar, cast

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
            return True
        loop = asyncio.get_running_loop()
        future: asyncio.Future[bool] = loop.create_future()
        timer = None if deadline is None else loop.call_at(deadline, self._time_out, future)
        self._queue.append(future)
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.result():
                self.give()  # it came together with the cancellation
            raise
        finally:
            if timer is not None:
                timer.cancel()
            if future in self._queue:
                self._queue.remove(future)

    @staticmethod
    def _time_out(future: asyncio.Future[bool]) -> None:
        if not future.done():
            future.set_result(False)

    def give(self) -> None:
        """Gives the turn to the next task."""
        while self._queue:
            future = self._queue.popleft()
            if not future.done():
                future.set_result(True)
                return
        self.is_taken = False


_states: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Any, weakref.ref[Any]]]
_states = weakref.WeakKeyDictionary()


def shared(kind: Callable[[], _T], wrapped: Any) -> _T:
    """What all wrappers of one object share in the running loop, as long as any of them uses it."""
    states = _states.setdefault(asyncio.get_running_loop(), {})
    region, _, name, where = wrapped.handle[:4]
    key = (kind, region, name, where)
    reference = states.get(key)
    state = None if reference is None else reference()
    if state is None:
        state = kind()
        states[key] = weakref.ref(state, lambda _: states.pop(key, None))
    return cast(_T, state)
