# SPDX-License-Identifier: MIT
"""What acquire returns."""

from __future__ import annotations

from types import TracebackType
from typing import Any


class Grant(int):
    """The lock is held: equal to True, as other locks return.

    `owner_died` says whether its previous holder died while it held the lock. If so, the data that
    the lock protects may be half changed, and

    * `process`, `thread` are the ids of the dead holder in its own pid namespace (0: not known),
      and `generation` is the number of its acquisition;
    * the new holder repairs the data and calls `consistent()`. At the end of a `with` block that
      is done for it, unless the block ends with an exception. A lock that is released without it is
      given up: LockLost for all.
    """

    owner_died: bool = False
    process: int = 0
    thread: int = 0
    generation: int = 0
    _lock: Any = None
    _gives_up: bool = False

    @classmethod
    def _after_death(cls, lock: Any, process: int, thread: int, generation: int) -> Grant:
        grant = cls(1)
        grant.owner_died = True
        grant.process = process
        grant.thread = thread
        grant.generation = generation
        grant._lock = lock
        return grant

    def consistent(self) -> None:
        """Declare the data consistent. Without effect if there was no death, or it was done before.

        NotHeld: the calling thread does not hold the lock any more.
        """
        if self._lock is not None:
            self._lock._consistent()
            self._gives_up = False

    def release(self) -> None:
        """Release the lock; only after a death: other grants do not know theirs."""
        if self._lock is None:
            raise TypeError("only a grant with owner_died can be released: release the lock")
        self._gives_up = False
        self._lock.release()

    def __enter__(self) -> Grant:
        if self._lock is None:
            raise TypeError("only a grant with owner_died is a context manager: use the lock")
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self._gives_up = False
        self._lock.__exit__(exc_type, exc, traceback)

    def __del__(self) -> None:
        if self._gives_up:
            try:
                self._lock.release()
            except Exception:  # pylint: disable=broad-except
                pass  # it was released, or another thread drops the grant: that one holds nothing

    def __repr__(self) -> str:
        if not self.owner_died:
            return "<furwock.Grant>"
        return (f"<furwock.Grant: owner_died, process={self.process}, thread={self.thread}, "
                f"generation={self.generation}>")
