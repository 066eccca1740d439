# SPDX-License-Identifier: MIT
"""What an event loop watches for its tasks: objects that other threads and processes hold.

Locks belong to threads, so nothing is taken here. The loop is in the wait queues of all objects for
which its tasks wait, by a descriptor that the kernel makes readable (io_uring, or where that is
refused a helper thread of the library), and is told there that they can be tried.
"""

from __future__ import annotations

import asyncio
import os
import weakref
from typing import Any, Optional

from ._furwock import _Watcher

# With more holders than are watched (32), or where the kernel marks no deaths.
_RECHECK_S = 0.1
# For all others only what was not thought of: as in C, the intervals grow.
_FIRST_INTERVAL_S = 0.05
_LONGEST_INTERVAL_S = 60.0


class _Watch:
    """What one loop watches; used in its thread only."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.pid = os.getpid()
        self._loop = weakref.ref(loop)
        self.watcher = _Watcher()
        self._waiting: dict[int, asyncio.Future[bool]] = {}
        self._timer: Optional[asyncio.TimerHandle] = None
        self._soon: Optional[asyncio.Handle] = None  # a look at the news
        self._interval = _FIRST_INTERVAL_S
        loop.add_reader(self.watcher.fileno(), self._run, False)

    def add(self, target: Any, token: int, future: asyncio.Future[bool]) -> Optional[int]:
        """Sets the future's result when the object can be tried: the entry's key. None: now."""
        try:
            key = self.watcher.add(target, token)
            if key is not None:
                self._waiting[key] = future
                self._interval = _FIRST_INTERVAL_S
            return key
        finally:
            self._go_on(future.get_loop())

    def discard(self, key: int) -> None:
        """Forgets an entry."""
        if self._waiting.pop(key, None) is not None:
            self.watcher.discard(key)
        loop = self._loop()
        if self._waiting and loop is not None and not loop.is_closed():
            self._go_on(loop)
        elif self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _run(self, is_recheck: bool) -> None:
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
        ready = self.watcher.run(is_recheck)
        for key in ready:
            future = self._waiting.pop(key)
            if not future.done():
                future.set_result(True)
        self._interval = (min(2 * self._interval, _LONGEST_INTERVAL_S) if is_recheck
                          else _FIRST_INTERVAL_S)
        loop = self._loop()
        if loop is not None:
            self._go_on(loop)

    def _recheck(self) -> None:
        self._timer = None
        self._run(True)

    def _go_on(self, loop: asyncio.AbstractEventLoop) -> None:
        """If anybody waits: looks at what any call of the watcher has found, and has a timer."""
        if not self._waiting or self.pid != os.getpid():
            return
        if self._soon is None and self.watcher.has_news():
            self._soon = loop.call_soon(self._run, False)
        interval = _RECHECK_S if self.watcher.needs_rechecks() else self._interval
        at = loop.time() + interval
        if self._timer is not None:
            if self._timer.when() <= at:
                return
            self._timer.cancel()
        self._timer = loop.call_at(at, self._recheck)


_watches: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Watch]
_watches = weakref.WeakKeyDictionary()


def _watch_of(loop: asyncio.AbstractEventLoop) -> _Watch:
    watch = _watches.get(loop)
    if watch is None or watch.pid != os.getpid():  # what is watched is not inherited
        watch = _watches[loop] = _Watch(loop)
    return watch


def _time_out(future: asyncio.Future[bool]) -> None:
    if not future.done():
        future.set_result(False)


async def wait_until(future: asyncio.Future[bool], deadline: Optional[float]) -> bool:
    """Waits for the future; False: the loop's time `deadline` has passed."""
    loop = future.get_loop()
    timer = None if deadline is None else loop.call_at(deadline, _time_out, future)
    try:
        return await future
    finally:
        if timer is not None:
            timer.cancel()


async def wait_for_chance(target: Any, token: int, deadline: Optional[float]) -> bool:
    """Waits until the object can be tried; False: the loop's time `deadline` has passed."""
    loop = asyncio.get_running_loop()
    watch = _watch_of(loop)
    future: asyncio.Future[bool] = loop.create_future()
    key = watch.add(target, token, future)
    if key is None:
        await asyncio.sleep(0)  # others, too, want to run
        return deadline is None or loop.time() < deadline
    try:
        return await wait_until(future, deadline)
    finally:
        watch.discard(key)


def token_of(target: Any) -> int:
    """What a wait for an event or a condition that begins now is recognised by."""
    return _watch_of(asyncio.get_running_loop()).watcher.token(target)
