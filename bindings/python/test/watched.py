# SPDX-License-Identifier: MIT
"""What tests of furwock.aio share: what the running loop watches, and who holds it."""

from __future__ import annotations

import asyncio
from typing import Any, Callable

import furwock
from furwock import _aio_watch
from test_aio import LONG_S
from victims import child, exit_code


def watch() -> Any:
    """What the running loop watches."""
    return _aio_watch._watch_of(asyncio.get_running_loop())


async def until(condition: Callable[[], Any]) -> None:
    """Lets the loop run until the condition holds."""
    while not condition():
        await asyncio.sleep(0.001)


async def is_waiting(count: int = 1) -> None:
    """Lets the loop run until that many tasks wait."""
    await until(lambda: len(watch()._waiting) == count)


class Holder:
    """A child process that holds something, and releases it when it is told to."""

    def __init__(self, lock: Any) -> None:
        self._held, self._leave = furwock.Event(), furwock.Event()

        def body() -> None:
            with lock:
                self._held.set()
                assert self._leave.wait(LONG_S)

        self.pid = child(body)
        assert self._held.wait(LONG_S)

    def leave(self) -> None:
        """Lets it release, and end."""
        self._leave.set()

    def end(self) -> None:
        """Waits for its end."""
        assert exit_code(self.pid) == 0
