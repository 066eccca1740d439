# SPDX-License-Identifier: MIT
"""Contexts with the interface of multiprocessing's, whose objects survive killed processes."""
from __future__ import annotations

import multiprocessing
import multiprocessing.context as standard
import multiprocessing.process
import os
from multiprocessing import util
from typing import TYPE_CHECKING, Any, Callable, Iterable, Optional

import furwock

if TYPE_CHECKING:
    from .managers import SyncManager
    from .pool import Pool
    from .queues import JoinableQueue, Queue, SimpleQueue
    from .synchronize import Barrier, BoundedSemaphore, Condition, Event, Lock, RLock, Semaphore

__all__ = ()


class BaseContext(standard.BaseContext):
    """What all contexts offer: the standard's methods, with furwock's classes behind them."""

    def Lock(self) -> "Lock":  # type: ignore[override]
        """Returns a non-recursive lock, which only the holding thread may release."""
        from .synchronize import Lock
        return Lock(ctx=self.get_context())

    def RLock(self) -> "RLock":  # type: ignore[override]
        """Returns a recursive lock."""
        from .synchronize import RLock
        return RLock(ctx=self.get_context())

    def Condition(self, lock: Any = None) -> "Condition":  # type: ignore[override]
        """Returns a condition variable, with its own recursive lock if none is given."""
        from .synchronize import Condition
        return Condition(lock, ctx=self.get_context())

    def Semaphore(self, value: int = 1) -> "Semaphore":  # type: ignore[override]
        """Returns a semaphore; what a dead process had acquired and not released comes back."""
        from .synchronize import Semaphore
        return Semaphore(value, ctx=self.get_context())

    def BoundedSemaphore(self, value: int = 1) -> "BoundedSemaphore":  # type: ignore[override]
        """Returns a semaphore whose value cannot exceed the one that it began with."""
        from .synchronize import BoundedSemaphore
        return BoundedSemaphore(value, ctx=self.get_context())

    def Event(self) -> "Event":  # type: ignore[override]
        """Returns an event."""
        from .synchronize import Event
        return Event(ctx=self.get_context())

    def Barrier(self, parties: int,  # type: ignore[override]
                action: Optional[Callable[[], Any]] = None,
                timeout: Optional[float] = None) -> "Barrier":
        """Returns a barrier, which breaks if a process dies that waits in it."""
        from .synchronize import Barrier
        return Barrier(parties, action, timeout, ctx=self.get_context())

    def Queue(self, maxsize: int = 0) -> "Queue":
        """Returns a queue."""
        from .queues import Queue
        return Queue(maxsize, ctx=self.get_context())

    def JoinableQueue(self, maxsize: int = 0) -> "JoinableQueue":
        """Returns a queue with task_done() and join()."""
        from .queues import JoinableQueue
        return JoinableQueue(maxsize, ctx=self.get_context())

    def SimpleQueue(self) -> "SimpleQueue":
        """Returns a queue without a feeder thread."""
        from .queues import SimpleQueue
        return SimpleQueue(ctx=self.get_context())

    def Pool(self, processes: Optional[int] = None,
             initializer: Optional[Callable[..., Any]] = None, initargs: Iterable[Any] = (),
             maxtasksperchild: Optional[int] = None, **options: Any) -> "Pool":
        """Returns a pool of worker processes; for more options see furwock.multiprocessing.pool."""
        from .pool import Pool
        return Pool(processes, initializer, initargs, maxtasksperchild,
                    context=self.get_context(), **options)

    def Manager(self) -> "SyncManager":
        """Returns a manager whose server process has been started."""
        from .managers import SyncManager
        manager = SyncManager(ctx=self.get_context())
        manager.start()
        return manager

    def get_context(self, method: Optional[str] = None) -> Any:
        """Returns the context of a start method, or this one."""
        if method is None:
            return self
        try:
            context = _concrete_contexts[method]
        except KeyError:
            raise ValueError(f"cannot find context for {method!r}") from None
        context._check_available()
        return context


class ForkProcess(standard.ForkProcess):
    """A process that is started by fork."""

    def _bootstrap(self, *args: Any, **names: Any) -> Any:
        _force_start_method("fork")
        return super()._bootstrap(*args, **names)  # type: ignore[misc]


class SpawnProcess(standard.SpawnProcess):
    """A process that is started as a new interpreter."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:
        from .popen import SpawnPopen
        return SpawnPopen(process_obj)


class ForkServerProcess(standard.ForkServerProcess):
    """A process that is forked by a server."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:
        from .popen import ForkServerPopen
        return ForkServerPopen(process_obj)


class ForkContext(BaseContext, standard.ForkContext):
    """The context of the start method fork."""

    Process = ForkProcess


class SpawnContext(BaseContext, standard.SpawnContext):
    """The context of the start method spawn."""

    Process = SpawnProcess


class ForkServerContext(BaseContext, standard.ForkServerContext):
    """The context of the start method forkserver."""

    Process = ForkServerProcess


class Process(multiprocessing.process.BaseProcess):
    """A process that is started by the method which is chosen when it starts."""

    _start_method = None

    @staticmethod
    def _Popen(process_obj: Any) -> Any:
        return _default_context.get_context().Process._Popen(process_obj)

    @staticmethod
    def _after_fork() -> None:
        # A new interpreter's process object is of the method's own class; only a forked one is not.
        _default_context.get_context().Process._after_fork()


class DefaultContext(BaseContext, standard.DefaultContext):
    """The context behind the functions of the module, whose start method can be set once."""

    Process = Process  # type: ignore[assignment]
    _default_context: BaseContext
    _actual_context: Optional[BaseContext]

    def get_context(self, method: Optional[str] = None) -> Any:
        """Returns the context of a start method; without one, of the chosen or default method."""
        if method is not None:
            return BaseContext.get_context(self, method)
        if self._actual_context is None:
            self._actual_context = self._default_context
        return self._actual_context


_concrete_contexts = {
    "fork": ForkContext(),
    "spawn": SpawnContext(),
    "forkserver": ForkServerContext(),
}
# The first of the list is the standard's default method; asking for it chooses none.
_default_context = DefaultContext(
    _concrete_contexts[multiprocessing.get_all_start_methods()[0]])


def _force_start_method(method: str) -> None:
    _default_context._actual_context = _concrete_contexts[method]


def _end_in_order() -> None:
    """Tells furwock when this process ends in order: what it held is then no death."""
    util.Finalize(None, furwock._furwock._process_ends, exitpriority=-100)


_end_in_order()
# A forked child has none of its parent's finalizers.
util.register_after_fork(_end_in_order, lambda function: function())

if "FURWOCK_REGION" in os.environ:  # a spawned child: the descriptor is open now
    furwock.default_region()
