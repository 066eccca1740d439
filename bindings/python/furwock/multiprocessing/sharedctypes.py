# SPDX-License-Identifier: MIT
"""Shared ctypes objects, as in multiprocessing, behind a lock that survives its holder."""
from __future__ import annotations

from multiprocessing import sharedctypes as standard
from multiprocessing.sharedctypes import RawArray, RawValue, copy
from typing import Any

from .context import _default_context

__all__ = ["RawValue", "RawArray", "Value", "Array", "copy", "synchronized"]


def Value(typecode_or_type: Any, *args: Any, lock: Any = True, ctx: Any = None) -> Any:
    """Returns a shared object behind a lock: a new RLock, the given one, or (False) none."""
    ctx = ctx or _default_context.get_context()
    return standard.Value(typecode_or_type, *args, lock=lock, ctx=ctx)


def Array(typecode_or_type: Any, size_or_initializer: Any, *, lock: Any = True,
          ctx: Any = None) -> Any:
    """Returns a shared array behind a lock: a new RLock, the given one, or (False) none."""
    ctx = ctx or _default_context.get_context()
    return standard.Array(typecode_or_type, size_or_initializer, lock=lock, ctx=ctx)


def synchronized(obj: Any, lock: Any = None, ctx: Any = None) -> Any:
    """Returns obj behind a lock, which is a new RLock if none is given."""
    ctx = ctx or _default_context.get_context()
    return standard.synchronized(obj, lock, ctx)
