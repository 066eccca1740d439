# SPDX-License-Identifier: MIT
"""A count in the kernel that several processes take from and add to, each in one step."""

from __future__ import annotations

import os
import select
import struct

from ._descriptor import Descriptor

_ONE = struct.pack("=Q", 1)


def _eventfd(value: int) -> int:
    flags = 0o2000000 | 0o4000 | 1          # EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE
    if hasattr(os, "eventfd"):              # Python 3.10
        return os.eventfd(value, flags)
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    fd = int(libc.eventfd(ctypes.c_uint(value), flags))
    if fd < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return fd


class Counter(Descriptor):
    """An eventfd in semaphore mode.  A process that dies takes nothing along but what it took."""

    def __init__(self, value: int = 0, fd: int = -1) -> None:
        self._fd = fd if fd >= 0 else _eventfd(value)

    def fileno(self) -> int:
        return self._fd

    def take(self) -> bool:
        """Subtract one, unless the count is 0."""
        try:
            os.read(self._fd, 8)
        except BlockingIOError:
            return False
        return True

    def add(self, n: int = 1) -> None:
        os.write(self._fd, _ONE if n == 1 else struct.pack("=Q", n))

    def wait(self, timeout: float | None) -> bool:
        """Is the count above 0, or will it be within `timeout` seconds (None: no limit)?"""
        poller = select.poll()
        poller.register(self._fd, select.POLLIN)
        return bool(poller.poll(None if timeout is None else max(0, timeout) * 1000))

    def value(self) -> int:
        """The count at this moment."""
        with open(f"/proc/self/fdinfo/{self._fd}", encoding="ascii") as file:
            for line in file:
                name, _, rest = line.partition(":")
                if name == "eventfd-count":
                    return int(rest, 16)
        raise OSError("this kernel does not tell the count of an eventfd")
