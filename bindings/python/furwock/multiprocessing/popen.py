# SPDX-License-Identifier: MIT
"""Starting processes by spawn and forkserver, with the default region in their hands.

A child finds the region by its descriptor, which it inherits, and by an environment variable that
is set in the child before it imports anything of the program: already the import of the main
module may make locks.
"""
from __future__ import annotations

import os
from multiprocessing import context, popen_forkserver, popen_spawn_posix
from typing import Any, List, Tuple

import furwock

from .context import _force_start_method

__all__ = ["ForkServerPopen", "SpawnPopen"]


class _Name(str):
    """The name of a process; unpickling it tells the child where the default region is.

    The preparation data begin with the name, and are the first that a child unpickles, at a time
    when it cannot import furwock yet: its sys.path is part of them.
    """

    def __reduce__(self) -> Tuple[Any, ...]:
        popen: Any = context.get_spawning_popen()
        fd = furwock.default_region().fileno()
        status = os.fstat(fd)
        sent = popen.duplicate_for_child(fd)
        if popen.method == "forkserver":
            server = "__import__('multiprocessing.forkserver').forkserver"
            number = f"{server}.get_inherited_fds()[{sent}]"
        else:
            number = str(sent)
        variable = f"'%d:{status.st_dev}:{status.st_ino}' % {number}"
        announce = f"__import__('os').environ.update(FURWOCK_REGION={variable})"
        return eval, (f"{announce} or {str(self)!r}",)


def _received(process_obj: Any, method: str) -> Any:
    """In the child: its own children are started by the same method, if nothing else is said."""
    _force_start_method(method)
    return process_obj


class _Parcel:
    """A process object as _launch sees it: a name, and something to pickle."""

    def __init__(self, process_obj: Any) -> None:
        self._name = _Name(process_obj._name)
        self._process_obj = process_obj

    def __reduce__(self) -> Tuple[Any, ...]:
        popen: Any = context.get_spawning_popen()
        return _received, (self._process_obj, popen.method)


class SpawnPopen(popen_spawn_posix.Popen):
    """Starts a new interpreter."""

    _fds: List[int]

    def duplicate_for_child(self, fd: int) -> int:
        # Each descriptor once: the region's is asked for by its name and by its objects.
        return fd if fd in self._fds else super().duplicate_for_child(fd)

    def _launch(self, process_obj: Any) -> None:
        super()._launch(_Parcel(process_obj))  # type: ignore


class ForkServerPopen(popen_forkserver.Popen):
    """Asks the server for a forked process."""

    def _launch(self, process_obj: Any) -> None:
        super()._launch(_Parcel(process_obj))  # type: ignore
