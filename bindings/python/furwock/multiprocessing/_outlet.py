# SPDX-License-Identifier: MIT
"""The sending side of a queue in one process: at once, or by the feeder thread."""

from __future__ import annotations

import collections
import errno
import functools
import threading
import weakref
from multiprocessing import util
from multiprocessing.reduction import ForkingPickler
from typing import Any

from ._channel import Message, Receiver, Sender
from ._counter import Counter
from ._ledger import BUSY, HELD, OPS, PUTS, Ledger

_SENTINEL = object()


def dumps(obj: Any) -> memoryview:
    return memoryview(ForkingPickler.dumps(obj))


def loads(payload: Any) -> Any:
    return ForkingPickler.loads(payload)


class Outlet:
    """The sending side of a queue in this process: what put() and the feeder thread share."""

    def __init__(self, writer: Sender, ledger: Ledger, slots: Counter | None) -> None:
        self.writer = writer
        self.ledger = ledger
        self.slots = slots
        # The feeder's work: objects, or messages that are ready.  `unsent` counts also the one
        # that the feeder is at, so while it is 0 put() may send past the feeder.
        self.buffer: collections.deque[Any] = collections.deque()
        self.unsent = 0
        self.notempty = threading.Condition(threading.Lock())

    def send_now(self, message: Message, held: list[int]) -> None:
        """Send, record that the item is in the channel, and clear `held`, in one step.

        BlockingIOError if the channel is full.
        """
        row, ledger = self.ledger.row, self.ledger
        with ledger.lock:
            row[BUSY] = 1
            try:
                self.writer.send_now(
                    message, functools.partial(row.__setitem__, HELD, row[HELD] - 1), held.clear)
            finally:
                row[OPS] += 1
                row[BUSY] = 0
        message.close()

    def drop(self) -> None:
        """Record that an item that was put will never be sent."""
        row, ledger = self.ledger.row, self.ledger
        with ledger.lock:
            row[BUSY] = 1
            try:
                row[HELD] -= 1
                row[PUTS] -= 1
                if self.slots is not None:
                    self.slots.add()
            finally:
                row[OPS] += 1
                row[BUSY] = 0

    def feed(self, reader: Receiver, ignore_epipe: bool, on_error: Any) -> None:
        """The feeder thread."""
        while True:
            with self.notempty:
                while not self.buffer:
                    self.notempty.wait()
                obj = self.buffer.popleft()
            if obj is _SENTINEL:
                reader.close()
                self.writer.close()
                return
            try:
                self._send(obj if isinstance(obj, Message) else Message(dumps(obj)))
            except Exception as e:
                if ignore_epipe and getattr(e, "errno", 0) == errno.EPIPE:
                    return
                if util.is_exiting():       # its resources may be gone already
                    util.info("error in queue thread: %s", e)
                    return
                self.drop()
                on_error(e, obj)
            finally:
                with self.notempty:
                    self.unsent -= 1

    def _send(self, message: Message) -> None:
        while True:
            try:
                return self.send_now(message, [])
            except BlockingIOError as e:
                self.writer.wait_writable(e)


def join_feeder(thread: weakref.ref[threading.Thread]) -> None:
    running = thread()
    if running is not None:
        running.join()


def end_feeder(buffer: collections.deque[Any], notempty: threading.Condition) -> None:
    with notempty:
        buffer.append(_SENTINEL)
        notempty.notify()
