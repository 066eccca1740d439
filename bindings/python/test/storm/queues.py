# SPDX-License-Identifier: MIT
"""Queues in the storm: one process puts, another gets, and a third that does either is killed."""
from __future__ import annotations

import queue
import zlib
from typing import Any, Tuple

from .objects import case

Item = Tuple[int, bytes, int]


def item(step: int, size: int) -> Item:
    body = bytes([step % 256]) * size
    return step, body, zlib.crc32(body)


def examine(received: Any) -> None:
    _, body, checksum = received
    if zlib.crc32(body) != checksum:
        raise AssertionError("an item has been corrupted")


def put_small(obj: Any, step: int) -> None:
    obj.put(item(step, 20))
    if step % 64 == 0 and hasattr(obj, "qsize"):
        wait_until_short(obj)


def put_20k(obj: Any, step: int) -> None:
    obj.put(item(step, 20_000))
    if hasattr(obj, "qsize"):
        wait_until_short(obj)


def put_1m(obj: Any, step: int) -> None:
    obj.put(item(step, 1_000_000))
    if hasattr(obj, "qsize"):
        wait_until_short(obj)


def wait_until_short(obj: Any) -> None:
    """Keeps the feeder thread's buffer from growing without end."""
    while len(obj._buffer) > 16:
        with obj._notempty:  # where the feeder waits; taken only to let it run
            pass


def get(obj: Any, step: int) -> None:
    examine(obj.get())


def get_with_timeout(obj: Any, step: int) -> None:
    try:
        examine(obj.get(timeout=0.01))
    except queue.Empty:
        pass


def get_and_say(obj: Any, step: int) -> None:
    examine(obj.get())
    obj.task_done()


def put_and_join(obj: Any, step: int) -> None:
    for number in range(4):
        obj.put(item(number, 20))
    obj.join()


case("Queue: getter killed, 20 KB", lambda ctx: ctx.Queue(), get, get, put_20k)
case("Queue: getter killed, 1 MB", lambda ctx: ctx.Queue(), get, get, put_1m)
case("Queue: getter with time-out killed", lambda ctx: ctx.Queue(), get_with_timeout, get,
     put_small)
case("Queue: putter killed, 20 KB", lambda ctx: ctx.Queue(), put_20k, get, put_20k)
case("Queue(8): putter killed, 20 KB", lambda ctx: ctx.Queue(8), put_20k, get, put_20k)
case("Queue(8): getter killed, 20 KB", lambda ctx: ctx.Queue(8), get, get, put_20k)
case("SimpleQueue: putter killed", lambda ctx: ctx.SimpleQueue(), put_20k, get, put_20k)
case("SimpleQueue: getter killed", lambda ctx: ctx.SimpleQueue(), get, get, put_20k)
case("SimpleQueue: putter killed, 1 MB", lambda ctx: ctx.SimpleQueue(), put_1m, get, put_1m)
case("JoinableQueue: consumer killed", lambda ctx: ctx.JoinableQueue(), get_and_say, get_and_say,
     put_and_join)
