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

# Said once more for type checkers.
Array = context._default_context.Array
AuthenticationError = context._default_context.AuthenticationError
Barrier = context._default_context.Barrier
BoundedSemaphore = context._default_context.BoundedSemaphore
BufferTooShort = context._default_context.BufferTooShort
Condition = context._default_context.Condition
Event = context._default_context.Event
JoinableQueue = context._default_context.JoinableQueue
Lock = context._default_context.Lock
Manager = context._default_context.Manager
Pipe = context._default_context.Pipe
Pool = context._default_context.Pool
Process = context.Process
ProcessError = context._default_context.ProcessError
Queue = context._default_context.Queue
RLock = context._default_context.RLock
RawArray = context._default_context.RawArray
RawValue = context._default_context.RawValue
Semaphore = context._default_context.Semaphore
SimpleQueue = context._default_context.SimpleQueue
TimeoutError = context._default_context.TimeoutError  # pylint: disable=redefined-builtin
Value = context._default_context.Value
active_children = context._default_context.active_children
cpu_count = context._default_context.cpu_count
current_process = context._default_context.current_process
freeze_support = context._default_context.freeze_support
get_all_start_methods = context._default_context.get_all_start_methods
get_context = context._default_context.get_context
get_logger = context._default_context.get_logger
get_start_method = context._default_context.get_start_method
log_to_stderr = context._default_context.log_to_stderr
parent_process = context._default_context.parent_process
set_executable = context._default_context.set_executable
set_forkserver_preload = context._default_context.set_forkserver_preload
set_start_method = context._default_context.set_start_method

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
