# SPDX-License-Identifier: MIT
"""A descriptor that each process keeps, to give it up when no other is free.

Linux drops the descriptor of a message, and with it a large item, if the receiver has none left.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator


class SpareDescriptor:
    """One descriptor of this process, for a moment's use by one thread at a time."""

    def __init__(self) -> None:
        self._fd = -1
        self._reset()
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._lock = threading.Lock()

    def reserve(self) -> None:
        """Open it, unless it is; OSError if none is free."""
        with self._lock:
            self._fill()

    def _fill(self) -> None:
        if self._fd < 0:
            self._fd = os.open("/", os.O_PATH | os.O_CLOEXEC)

    @contextlib.contextmanager
    def lent(self, purpose: str) -> Iterator[None]:
        """Within the block one more descriptor is free; OSError if there is none."""
        with self._lock:
            try:
                self._fill()
            except OSError as e:
                raise OSError(e.errno, f"no descriptor is free {purpose} "
                              f"({os.strerror(e.errno or 0)})") from None
            os.close(self._fd)
            self._fd = -1
            try:
                yield
            finally:
                with contextlib.suppress(OSError):      # if none is left, the next user tries again
                    self._fill()


spare = SpareDescriptor()
