# SPDX-License-Identifier: MIT
"""Locks between processes that a killed process does not lock forever."""

from __future__ import annotations

from ._errors import (CorruptRegion, Deadlock, Error, LockLost, NoSlot, NotHeld, OwnerDied,
                      OwnerDiedWarning)
from ._furwock import Mutex, Once, Region, RWLock, default_region
from ._grant import Grant
from ._lock import NamedLock, lock

__all__ = ["CorruptRegion", "Deadlock", "Error", "Grant", "LockLost", "Mutex", "NamedLock",
           "NoSlot", "NotHeld", "Once", "OwnerDied", "OwnerDiedWarning", "RWLock", "Region",
           "default_region", "lock"]

for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = "furwock"
del _name
