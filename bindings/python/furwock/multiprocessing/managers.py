# SPDX-License-Identifier: MIT
"""multiprocessing.managers, whose SyncManager makes pools that lose no task with a worker.

The other objects of a manager live in its server process, and are the standard's: a client that
dies with a manager's lock keeps it. Give processes the lock itself.
"""
from __future__ import annotations

from multiprocessing import managers as standard
from multiprocessing.managers import *  # noqa: F401,F403
from typing import Any

from .context import _default_context

__all__ = standard.__all__


class SyncManager(standard.SyncManager):  # type: ignore[no-redef]
    """A manager of shared objects."""


def _pool(*args: Any, **names: Any) -> Any:
    """In the server: its context is that of the manager."""
    return _default_context.Pool(*args, **names)


SyncManager.register("Pool", _pool, standard.PoolProxy)  # type: ignore[attr-defined]


def __getattr__(name: str) -> Any:
    return getattr(standard, name)
