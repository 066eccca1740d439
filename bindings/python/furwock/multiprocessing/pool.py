# SPDX-License-Identifier: MIT
"""Pool: multiprocessing.Pool that goes on when a worker dies.

The interface is multiprocessing.pool.Pool's.  What a worker was running when it died raises
WorkerDied (or is run again: `retry`); all other tasks are done by others, and the worker is
replaced.  After terminate(), results that are not there raise PoolTerminated.
"""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Iterator
from multiprocessing import get_context, util
from multiprocessing import pool as standard
from typing import Any, Callable

from ._engine import CLOSE, RUN, TERMINATE, Engine
from ._task import Task
from ._worker import (POOL_STYLE, Call, PoolTerminated, ResultLost, WorkerDied,
                      WorkersCannotStart)

_standard: Any = standard
_StandardPool: Any = standard.Pool

__all__ = ["Pool", "WorkerDied", "WorkersCannotStart", "PoolTerminated", "ResultLost", "Call"]

_INIT = "INIT"


def _as_users_call(call: Call) -> Call:
    """A chunk of map() is a call of a function of the standard module."""
    if call.func in (_standard.mapstar, _standard.starmapstar):
        func, items = call.args[0]
        return Call(func, items, {})
    return call


def _deliver(cache: dict[int, Any], job: int, index: int, ok: bool, value: Any) -> None:
    if isinstance(value, WorkerDied) and value.task is not None:
        value.task = _as_users_call(value.task)
    result = cache.get(job)
    if result is not None:
        result._set(index, (ok, value))


def _abandon(cache: Any, error: BaseException) -> None:
    """Nothing sets these results any more: wake whoever waits for them."""
    for job, result in list(cache.items()):
        if isinstance(result, _standard.IMapIterator):
            result._set(result._index, (False, error))
            result._set_length(result._index)
        while cache.get(job) is result:
            if not isinstance(result, _standard.MapResult):
                result._set(0, (False, error))
                cache.pop(job, None)
            elif result._number_left > 0:
                result._set(0, (False, error))
            else:
                cache.pop(job, None)


class _TaskQueue:
    """What the standard class's methods put their tasks into."""

    def __init__(self, engine: Engine, cache: dict[int, Any], tries: int) -> None:
        self._engine, self._cache, self._tries = engine, cache, tries

    def put(self, item: Any) -> None:
        sequence, set_length = item
        if type(sequence) is list and len(sequence) == 1 and set_length is None:
            self._engine.submit(self._task(sequence[0]))
            return
        count = [0]
        finished = None
        if set_length is not None:
            def finished() -> None:
                set_length(count[0])
        self._engine.put_sequence(self._tasks(sequence, count), finished)

    def _tasks(self, sequence: Any, count: list[int]) -> Iterator[Task]:
        for entry in sequence:
            count[0] = entry[1] + 1
            yield self._task(entry)
            del entry

    def _task(self, entry: Any) -> Task:
        job, index, func, args, kwds = entry
        deliver = functools.partial(_deliver, self._cache, job, index)
        return Task(Call(func, args, kwds), deliver, self._tries)


def _terminate(engine: Engine, cache: dict[int, Any]) -> None:
    engine.terminate()
    _abandon(cache, PoolTerminated("the pool was terminated before the task was done"))


class Pool(_StandardPool):  # type: ignore[misc]
    """See multiprocessing.pool.Pool.

    retry: how often a task is run again if its worker died; for tasks that may be run twice.
    """

    _wrap_exception = True

    def __init__(self, processes: int | None = None, initializer: Callable[..., Any] | None = None,
                 initargs: Any = (), maxtasksperchild: int | None = None, context: Any = None,
                 *, retry: int = 0) -> None:
        self._state = _INIT
        if processes is None:
            processes = len(os.sched_getaffinity(0))
        if processes < 1:
            raise ValueError("Number of processes must be at least 1")
        if maxtasksperchild is not None and (
                not isinstance(maxtasksperchild, int) or maxtasksperchild <= 0):
            raise ValueError("maxtasksperchild must be a positive int or None")
        if initializer is not None and not callable(initializer):
            raise TypeError("initializer must be a callable")
        if not isinstance(retry, int) or retry < 0:
            raise ValueError("retry must be an int, at least 0")
        self._ctx = context or get_context()
        self._processes = processes
        self._maxtasksperchild = maxtasksperchild
        self._initializer, self._initargs = initializer, initargs
        self._cache: dict[int, Any] = {}
        self._engine = Engine(
            self._ctx, processes, (initializer, initargs, maxtasksperchild, POOL_STYLE),
            maxtasksperchild, "PoolWorker")
        self._taskqueue = _TaskQueue(self._engine, self._cache, 1 + retry)
        self._engine.start()
        self._terminate = util.Finalize(self, _terminate, (self._engine, self._cache),
                                        exitpriority=15)
        self._state = RUN

    def __del__(self, _warn: Any = warnings.warn, _run: str = RUN) -> None:
        if self._state == _run:
            _warn(f"unclosed running multiprocessing pool {self!r}", ResourceWarning, source=self)

    @property
    def _pool(self) -> list[Any]:
        engine = getattr(self, "_engine", None)
        return [] if engine is None else [w.process for w in list(engine.workers)] or engine.ended

    def __repr__(self) -> str:
        cls = type(self)
        return (f"<{cls.__module__}.{cls.__qualname__} state={self._state} "
                f"pool_size={len(self._pool)}>")

    def _map_async(self, func: Any, iterable: Any, mapper: Any, chunksize: int | None = None,
                   callback: Any = None, error_callback: Any = None) -> Any:
        if chunksize is None:
            self._check_running()
            if not hasattr(iterable, "__len__"):
                iterable = list(iterable)
            # As the standard class counts it; but a worker may be missing at this moment.
            chunksize = -(-len(iterable) // (self._processes * 4))
        return super()._map_async(func, iterable, mapper, chunksize, callback, error_callback)

    def _repopulate_pool(self) -> None:
        self._engine.wake.add()

    def close(self) -> None:
        """Take no more tasks; the workers end when those that were given are done."""
        if self._state == RUN:
            self._state = CLOSE
            self._engine.close()

    def terminate(self) -> None:
        """End the workers without waiting for their tasks; returns within a few seconds."""
        self._state = TERMINATE
        self._terminate()

    def join(self) -> None:
        """Wait until the workers have ended; only after close() or terminate()."""
        if self._state == RUN:
            raise ValueError("Pool is still running")
        if self._state not in (CLOSE, TERMINATE):
            raise ValueError("In unknown state")
        self._engine.join()
