# SPDX-License-Identifier: MIT
"""SimpleQueue: a channel of pickled objects."""

from __future__ import annotations

import types
from multiprocessing import context
from multiprocessing import queues as standard
from typing import Any

from ._channel import channel
from ._outlet import dumps, loads

_StandardSimpleQueue: Any = standard.SimpleQueue


class NoLock:
    """What stands for the standard queues' locks, which others acquire and release."""

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        return True

    def release(self) -> None:
        pass

    def __enter__(self) -> bool:
        return True

    def __exit__(self, *exc: object) -> None:
        pass


class SimpleQueue(_StandardSimpleQueue):  # type: ignore[misc]
    """A channel of pickled objects; put() waits while it is full (about 400 small items)."""

    _rlock = _wlock = NoLock()

    def __init__(self, *, ctx: Any = None) -> None:
        self._reader, self._writer = channel()

    def close(self) -> None:
        """Close both ends in this process."""
        self._reader.close()
        self._writer.close()

    def empty(self) -> bool:
        return not self._reader.poll()

    def get(self) -> Any:
        """The oldest item; waits for it.  EOFError if no process can put any more."""
        return loads(self._reader.recv_bytes())

    def put(self, obj: Any) -> None:
        self._writer.send_bytes(dumps(obj))

    def __getstate__(self) -> Any:
        context.assert_spawning(self)
        return self._reader, self._writer

    def __setstate__(self, state: Any) -> None:
        self._reader, self._writer = state

    __class_getitem__: Any = classmethod(types.GenericAlias)
