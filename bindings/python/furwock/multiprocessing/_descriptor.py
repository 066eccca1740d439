# SPDX-License-Identifier: MIT
"""What a queue has in one descriptor: closed with the object, and passed to children."""

from __future__ import annotations

import os
from multiprocessing import reduction
from typing import Any


class Descriptor:
    """The owner of `_fd`, with a constructor that takes one: `fd=`."""

    _fd = -1

    def __del__(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __reduce__(self) -> Any:
        return _rebuild, (type(self), reduction.DupFd(self._fd))


def _rebuild(kind: Any, fd: Any) -> Any:
    return kind(fd=fd.detach())
