# SPDX-License-Identifier: MIT
"""A task of a pool or executor, from its call to its result."""

from __future__ import annotations

import itertools
import sys
import threading
from typing import Any, Callable

from ._channel import Message
from ._worker import READY_KEY, Call, pack

_keys = itertools.count(READY_KEY + 1)


class Task:
    """A call, and what to do with its result."""

    __slots__ = ("key", "call", "deliver", "begin", "tries", "message", "payload")

    def __init__(self, call: Call, deliver: Callable[[bool, Any], None], tries: int = 1,
                 begin: Callable[[], bool] | None = None) -> None:
        self.key = next(_keys)
        self.call = call
        self.deliver = deliver      # called once, without a lock: (True, value) or (False, error)
        self.begin = begin          # called when a worker gets it; False: it is not wanted any more
        self.tries = tries
        self.message: Message | None = None
        self.payload: Any = None

    def pickle(self) -> None:
        self.message = pack(self.key, tuple(self.call))
        if self.tries > 1:          # what a second try sends is what the first one sent
            self.payload = bytes(pack_payload(self.message))


def pack_payload(message: Message) -> Any:
    """The payload of a message that was not sent."""
    if message.fd < 0:
        return message.parts[1]
    with open(message.fd, "rb", closefd=False) as file:
        file.seek(0)
        return file.read()


def report() -> None:
    """Report the exception that is handled, and go on."""
    error = sys.exc_info()
    threading.excepthook(threading.ExceptHookArgs((*error, threading.current_thread())))


def deliver(task: Task, ok: bool, value: Any) -> None:
    """An error in a callback is reported, and ends neither thread nor pool."""
    try:
        task.deliver(ok, value)
    except Exception:
        report()
