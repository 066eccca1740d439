# SPDX-License-Identifier: MIT
"""One helper thread for each event loop: it says which objects a task may try now.

The locks belong to threads, so the helper takes nothing: it sleeps in the wait queues of all
objects for which tasks of its loop wait, and tells the loop through an eventfd (before Python 3.10,
a pipe) that they can be tried. It ends when nobody has waited for a while, or when the loop was
closed.
"""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from typing import Any, Optional

from ._furwock import _Watcher

# How long a watch lasts, before the helper looks whether its loop was closed.
_WATCH_S = 1.0

# How long a helper without work stays, and how often it looks whether its loop was closed.
_IDLE_S = 2.0
_IDLE_LOOKS = 40

_helpers: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Helper]


class _Bell:
    """A descriptor that a thread makes readable."""

    def __init__(self) -> None:
        if hasattr(os, "eventfd"):
            self.fd = self._write_fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        else:
            self.fd, self._write_fd = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)

    def ring(self) -> None:
        """Makes it readable, if it is not."""
        try:
            os.write(self._write_fd, (1).to_bytes(8, "little"))
        except BlockingIOError:
            pass  # it is

    def silence(self) -> None:
        """Makes it unreadable."""
        try:
            while len(os.read(self.fd, 4096)) == 4096:
                pass
        except BlockingIOError:
            pass

    def close(self) -> None:
        """Closes the descriptors."""
        os.close(self.fd)
        if self._write_fd != self.fd:
            os.close(self._write_fd)


class _Helper:
    """The helper of one loop. All but _run and what it calls is called in the loop's thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.pid = os.getpid()
        self._loop = weakref.ref(loop)
        self._watcher = _Watcher()
        self._bell = _Bell()
        self._lock = threading.Condition()
        self._waiting: dict[int, tuple[Any, int, asyncio.Future[bool]]] = {}
        self._ready: list[int] = []
        self._thread: Optional[threading.Thread] = None
        self._next = 0
        loop.add_reader(self._bell.fd, self._tell)

    def add(self, target: Any, token: int, future: asyncio.Future[bool]) -> int:
        """Sets the future's result, in the loop, when the object can be tried. The entry's key."""
        with self._lock:
            key = self._next
            self._next += 1
            self._waiting[key] = (target, token, future)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="furwock.aio", daemon=True)
                self._thread.start()
            self._lock.notify()
        self._watcher.poke()
        return key

    def discard(self, key: int) -> None:
        """Forgets an entry."""
        with self._lock:
            found = self._waiting.pop(key, None)
        if found is not None:
            self._watcher.poke()

    def _tell(self) -> None:
        self._bell.silence()
        with self._lock:
            entries = [self._waiting.pop(key, None) for key in self._ready]
            self._ready.clear()
        for entry in entries:
            if entry is not None and not entry[2].done():
                entry[2].set_result(True)

    # --- The thread

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._has_work():
                    self._thread = None
                    break
                pokes = self._watcher.pokes()
                entries = self._pending()
            self._watch(entries, pokes)
            if self._is_closed():
                break

    def _has_work(self) -> bool:
        for _ in range(_IDLE_LOOKS):
            if self._pending() or self._lock.wait_for(self._pending, _IDLE_S / _IDLE_LOOKS):
                return True
            loop = self._loop()
            if loop is None or loop.is_closed():
                return False
        return False

    def _pending(self) -> list[tuple[int, Any, int]]:
        return [(key, target, token) for key, (target, token, _) in self._waiting.items()
                if key not in self._ready]

    def _watch(self, entries: list[tuple[int, Any, int]], pokes: int) -> None:
        try:
            indices = self._watcher.watch([(target, token) for _, target, token in entries],
                                          _WATCH_S, pokes)
        except Exception:  # pylint: disable=broad-except
            indices = list(range(len(entries)))  # the tasks find out by themselves
        if indices:
            with self._lock:
                self._ready.extend(entries[i][0] for i in indices)
            self._bell.ring()

    def _is_closed(self) -> bool:
        loop = self._loop()
        if loop is not None and not loop.is_closed():
            return False
        with self._lock:
            self._thread = None
            self._waiting.clear()
        return True

    def __del__(self) -> None:
        if self.pid == os.getpid():
            self._bell.close()


_helpers = weakref.WeakKeyDictionary()


def _helper_of(loop: asyncio.AbstractEventLoop) -> _Helper:
    helper = _helpers.get(loop)
    if helper is None or helper.pid != os.getpid():  # a fork leaves the thread behind
        helper = _helpers[loop] = _Helper(loop)
    return helper


def _time_out(future: asyncio.Future[bool]) -> None:
    if not future.done():
        future.set_result(False)


async def wait_for_chance(target: Any, token: int, deadline: Optional[float]) -> bool:
    """Waits until the object can be tried; False: the loop's time `deadline` has passed."""
    loop = asyncio.get_running_loop()
    helper = _helper_of(loop)
    future: asyncio.Future[bool] = loop.create_future()
    timer = None if deadline is None else loop.call_at(deadline, _time_out, future)
    key = helper.add(target, token, future)
    try:
        return await future
    finally:
        helper.discard(key)
        if timer is not None:
            timer.cancel()


def token_of(target: Any) -> int:
    """What a wait for an event or a condition that begins now is recognised by."""
    return _helper_of(asyncio.get_running_loop())._watcher.token(target)
