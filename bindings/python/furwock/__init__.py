# SPDX-License-Identifier: MIT
"""Locks between processes that a killed process does not lock forever."""

from __future__ import annotations

import atexit

from ._errors import (CorruptRegion, Deadlock, Error, LockLost, NoSlot, NotHeld, OwnerDied,
                      OwnerDiedWarning)
from ._furwock import (Barrier, Condition, Event, Mutex, Once, Permits, Region, RWLock, Semaphore,
                       _process_ends, default_region)
from ._grant import Grant
from ._lock import NamedLock, lock

__all__ = ["Barrier", "Condition", "CorruptRegion", "Deadlock", "Error", "Event", "Grant",
           "LockLost", "Mutex", "NamedLock", "NoSlot", "NotHeld", "Once", "OwnerDied",
           "OwnerDiedWarning", "Permits", "RWLock", "Region", "Semaphore", "default_region", "lock"]

for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = "furwock"
del _name

atexit.register(_process_ends)
