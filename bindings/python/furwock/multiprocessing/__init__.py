# SPDX-License-Identifier: MIT
"""multiprocessing, with locks, queues and pools that a killed process cannot take along.

    import furwock.multiprocessing as multiprocessing

has the interface of the standard module.  A process may be killed at any moment, by kill -9 or by
the kernel when memory is short: the others go on.  What a dead process held is released; locks
count such deaths (lock.deaths) and warn once (furwock.OwnerDiedWarning).

The standard module is not changed.  Processes should be started by this module, too: those of the
standard one get the objects by fork, but not by spawn and forkserver.
"""
from __future__ import annotations

import importlib
import sys
from multiprocessing import SUBDEBUG, SUBWARNING  # type: ignore[attr-defined]
from typing import Any, List

from . import context

__all__: List[str] = [name for name in dir(context._default_context) if not name.startswith("_")]
globals().update((name, getattr(context._default_context, name)) for name in __all__)

# Modules of the standard package that need no change.
_STANDARD = frozenset((
    "dummy", "forkserver", "heap", "process", "reduction", "resource_sharer", "resource_tracker",
    "spawn", "util"))
_OURS = frozenset((
    "connection", "managers", "pool", "queues", "shared_memory", "sharedctypes", "synchronize"))


def __getattr__(name: str) -> Any:
    if name in _STANDARD:
        return importlib.import_module("multiprocessing." + name)
    if name in _OURS:
        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if "__main__" in sys.modules:  # as the standard module does: children know it by this name
    sys.modules.setdefault("__mp_main__", sys.modules["__main__"])
