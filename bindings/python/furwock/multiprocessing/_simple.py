# SPDX-License-Identifier: MIT
"""SimpleQueue: a channel of pickled objects."""

from __future__ import annotations

import types
from multiprocessing import context
from typing import Any

from ._channel import channel
from ._outlet import dumps, loads


class SimpleQueue:
    """A channel of pickled objects; put() waits while it is full (about 400 small items)."""

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
        return loads(self._reader.receive())

    def put(self, obj: Any) -> None:
        self._writer.send(dumps(obj))

    def __getstate__(self) -> Any:
        context.assert_spawning(self)
        return self._reader, self._writer

    def __setstate__(self, state: Any) -> None:
        self._reader, self._writer = state

    __class_getitem__: Any = classmethod(types.GenericAlias)
