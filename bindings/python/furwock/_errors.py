# SPDX-License-Identifier: MIT
"""Exceptions of furwock."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._grant import Grant


class Error(OSError):
    """What the library reports: `errno` is its error number, `strerror` says what failed."""


class OwnerDied(Error):
    """The holder of the lock died (EOWNERDEAD).

    Raised by acquire with on_death="raise": the lock is held, through `grant`, and what the dead
    holder left may be half changed. `with error.grant:` repairs it; leaving that block normally
    declares the data consistent and releases the lock. If the grant is dropped without that, the
    lock is given up: LockLost for all.

    Also raised, without a grant (None) and with nothing held, by a call that only reads while the
    data are not repaired (RWLock).
    """

    grant: Grant | None = None


class LockLost(Error):
    """The lock was given up after a death, and cannot be used any more (ENOTRECOVERABLE)."""


class CorruptRegion(Error):
    """The region or the object in it has been overwritten (EUCLEAN)."""


class NoSlot(Error):
    """The region has no space left: for an object, a thread or a process."""


class NotHeld(Error, RuntimeError, ValueError):
    """The calling thread does not hold what it releases (EPERM)."""


class Deadlock(Error, RuntimeError):
    """The calling thread would wait for itself (EDEADLK)."""


class OwnerDiedWarning(RuntimeWarning):
    """A holder died, and on_death="consistent" has declared its data consistent."""
