# SPDX-License-Identifier: MIT
"""ProcessPoolExecutor for concurrent.futures that goes on when a worker dies.

The interface is concurrent.futures.ProcessPoolExecutor's.  There, one dead worker fails every
future and the executor (BrokenProcessPool); here it fails the one task that it was running
(WorkerDied, a BrokenProcessPool), or that is run again (`retry`), and the worker is replaced.
"""

from __future__ import annotations

import functools
import itertools
import multiprocessing
import os
import threading
import weakref
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Callable

from .multiprocessing._engine import RUN, Engine
from .multiprocessing._task import Task
from .multiprocessing._worker import (EXECUTOR_STYLE, Call, ResultLost, WorkerDied,
                                      WorkersCannotStart)

__all__ = ["ProcessPoolExecutor", "WorkerDied", "WorkersCannotStart", "ResultLost",
           "BrokenProcessPool"]

_executors: weakref.WeakSet[ProcessPoolExecutor] = weakref.WeakSet()
_exiting = False


def _at_exit() -> None:
    """As for the standard executors: what was submitted is done before the program ends."""
    global _exiting
    _exiting = True
    for executor in list(_executors):
        executor.shutdown(wait=True)


# A forked child has nothing to wait for.
os.register_at_fork(after_in_child=_executors.clear)
# Before the interpreter waits for threads, and so before multiprocessing ends its processes.
threading._register_atexit(_at_exit)  # type: ignore[attr-defined]


def _deliver(future: Future[Any], ok: bool, value: Any) -> None:
    if ok:
        future.set_result(value)
    else:
        future.set_exception(value)


def _run_chunk(func: Callable[..., Any], chunk: list[tuple[Any, ...]]) -> list[Any]:
    return [func(*args) for args in chunk]


def _chunks(arguments: Iterator[tuple[Any, ...]], size: int) -> Iterator[list[tuple[Any, ...]]]:
    while chunk := list(itertools.islice(arguments, size)):
        yield chunk


def _abandon(engine: Engine) -> None:
    """The executor was dropped: its workers end when they have done what was submitted."""
    engine.close()


class ProcessPoolExecutor(Executor):
    """See concurrent.futures.ProcessPoolExecutor.

    retry: how often a task is run again if its worker died; for tasks that may be run twice.
    Workers are started at the first submit().
    """

    def __init__(self, max_workers: int | None = None, mp_context: Any = None,
                 initializer: Callable[..., Any] | None = None, initargs: tuple[Any, ...] = (),
                 *, max_tasks_per_child: int | None = None, retry: int = 0) -> None:
        if max_workers is None:
            max_workers = len(os.sched_getaffinity(0))
        if max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        if initializer is not None and not callable(initializer):
            raise TypeError("initializer must be a callable")
        if max_tasks_per_child is not None:
            if not isinstance(max_tasks_per_child, int):
                raise TypeError("max_tasks_per_child must be an integer")
            if max_tasks_per_child <= 0:
                raise ValueError("max_tasks_per_child must be >= 1")
        if not isinstance(retry, int) or retry < 0:
            raise ValueError("retry must be an int, at least 0")
        if mp_context is None:
            mp_context = multiprocessing.get_context(
                "spawn" if max_tasks_per_child is not None else None)
        if max_tasks_per_child is not None and mp_context.get_start_method(False) == "fork":
            raise ValueError("max_tasks_per_child is incompatible with the 'fork' multiprocessing "
                             "start method; supply a different mp_context.")
        self._max_workers = max_workers
        self._mp_context = mp_context
        self._initializer, self._initargs = initializer, initargs
        self._max_tasks_per_child = max_tasks_per_child
        self._tries = 1 + retry
        self._lock = threading.Lock()
        self._shutdown = False
        self._engine: Engine | None = None
        # Futures that are not done, by their task's key: what cancel_futures cancels.
        self._pending: dict[int, Future[Any]] = {}
        _executors.add(self)

    @property
    def _processes(self) -> dict[int, Any]:
        engine = self._engine
        return {} if engine is None else {w.pid: w.process for w in list(engine.workers)}

    @property
    def _broken(self) -> BaseException | None:
        """Why no worker can be started, if so."""
        return None if self._engine is None else self._engine.broken

    def _running_engine(self) -> Engine:
        """The engine, started; with the lock held."""
        if self._shutdown:
            raise RuntimeError("cannot schedule new futures after shutdown")
        if _exiting:
            raise RuntimeError("cannot schedule new futures after interpreter shutdown")
        engine = self._engine
        if engine is None:
            engine = Engine(
                self._mp_context, self._max_workers,
                (self._initializer, self._initargs, self._max_tasks_per_child,
                 EXECUTOR_STYLE),
                self._max_tasks_per_child, "ExecutorWorker", daemon=False)
            engine.start()
            self._engine = engine
            weakref.finalize(self, _abandon, engine).atexit = False
        if engine.broken is not None:
            raise BrokenProcessPool(str(engine.broken)) from engine.broken
        return engine

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run `fn(*args, **kwargs)` in a worker."""
        with self._lock:
            engine = self._running_engine()
            future: Future[Any] = Future()
            task = Task(Call(fn, args, kwargs), functools.partial(_deliver, future), self._tries,
                        future.set_running_or_notify_cancel)
            self._pending[task.key] = future
            future.add_done_callback(functools.partial(_forget, self._pending, task.key))
        engine.submit(task)
        return future

    def map(self, fn: Callable[..., Any], *iterables: Iterable[Any],
            timeout: float | None = None, chunksize: int = 1, **options: Any) -> Iterator[Any]:
        """As map(), in the workers, `chunksize` calls at a time."""
        if chunksize < 1:
            raise ValueError("chunksize must be >= 1.")
        chunks = _chunks(zip(*iterables), chunksize)
        results = super().map(functools.partial(_run_chunk, fn), chunks, timeout=timeout, **options)
        return _flatten(results)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more tasks, cancel those that no worker has yet if asked, and end the workers."""
        with self._lock:
            self._shutdown = True
            engine = self._engine
        if cancel_futures:
            for future in list(self._pending.values()):
                future.cancel()
        if engine is not None:
            if engine.state == RUN:
                engine.close()
            if wait:
                engine.join()

    def kill_workers(self) -> None:
        """End the workers at once, by SIGKILL; what is not done fails.  (Python 3.14)"""
        self._end_workers("kill")

    def terminate_workers(self) -> None:
        """End the workers at once, by SIGTERM at first; what is not done fails.  (Python 3.14)"""
        self._end_workers("terminate")

    def _end_workers(self, how: str) -> None:
        with self._lock:
            self._shutdown = True
            engine = self._engine
        if engine is not None:
            if how == "kill":
                for process in self._processes.values():
                    process.kill()
            engine.terminate()


def _forget(pending: dict[int, Future[Any]], key: int, future: Future[Any]) -> None:
    pending.pop(key, None)


def _flatten(results: Iterator[list[Any]]) -> Iterator[Any]:
    for chunk in results:
        chunk.reverse()
        while chunk:
            yield chunk.pop()
