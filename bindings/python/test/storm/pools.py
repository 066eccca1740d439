# SPDX-License-Identifier: MIT
"""Pools and executors in the storm: a worker is killed while tasks run."""
from __future__ import annotations

import os
import random
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor as StandardExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Callable, Dict

from .objects import spend

Result = Dict[str, Any]
TASKS = 300


def task(number: int) -> int:
    spend(40)
    return number


def wait_for_death(pid: int) -> None:
    """Until the process is gone, or a zombie whose parent may take its time."""
    while True:
        try:
            with open(f"/proc/{pid}/stat", "rb") as stat:
                if stat.read().rpartition(b")")[2].split()[0] in (b"Z", b"X"):
                    return
        except OSError:
            return
        time.sleep(0.001)


def kill_one(pids: Any, rng: random.Random) -> None:
    time.sleep(rng.uniform(0, 0.02))
    pid = rng.choice(list(pids))
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    wait_for_death(pid)


def in_time(function: Callable[[], Any], limit: float) -> Result:
    """Calls the function in a thread that may be left behind if it hangs."""
    answer: Result = {"outcome": "hang", "detail": f"no end within {limit:g} s"}

    def call() -> None:
        try:
            problem = function()
            answer.update(outcome="error" if problem else "ok", detail=problem or "")
        except BaseException as error:  # pylint: disable=broad-except
            answer.update(outcome="error", detail=f"{type(error).__name__}: {error}")

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(limit)
    return answer


def end(pool: Any) -> None:
    """Kills what a pool that hangs has left: its terminate() would hang, too."""
    pool._state = "TERMINATE"
    for process in list(getattr(pool, "_pool", [])):
        try:
            process.kill()
        except (OSError, ValueError, AttributeError):
            pass


def map_async(ctx: Any, limit: float, rng: random.Random, kills: int) -> Result:
    """map_async with a worker killed: get() returns all results, or raises; and new tasks run."""
    options = {} if type(ctx).__module__.startswith("multiprocessing") else {"retry": 100}
    pool = ctx.Pool(3, **options)

    def use() -> Any:
        for _ in range(kills):
            pending = pool.map_async(task, range(TASKS), chunksize=5)
            kill_one([process.pid for process in pool._pool], rng)
            if pending.get() != list(range(TASKS)):
                return "wrong results"
        if pool.map(task, range(30)) != list(range(30)):
            return "wrong results afterwards"
        pool.terminate()
        pool.join()
        return None

    result = in_time(use, limit)
    if result["outcome"] != "ok":
        end(pool)
    return result


def submit(ctx: Any, limit: float, rng: random.Random, kills: int) -> Result:
    """An executor with a worker killed: all futures end, with a result or BrokenProcessPool."""
    executor: Any
    if type(ctx).__module__.startswith("multiprocessing"):
        executor = StandardExecutor(3, mp_context=ctx)
    else:
        from furwock.concurrent import ProcessPoolExecutor
        executor = ProcessPoolExecutor(3, mp_context=ctx)

    def use() -> Any:
        futures = [executor.submit(task, number) for number in range(TASKS)]
        pids = list(executor._processes or ())
        for _ in range(kills if pids else 0):
            kill_one(pids, rng)
        for number, future in enumerate(futures):
            try:
                if future.result() != number:
                    return "a wrong result"
            except BrokenProcessPool:
                pass
        executor.shutdown()
        return None

    return in_time(use, limit)


POOLS: Dict[str, Callable[[Any, float, random.Random, int], Result]] = {
    "Pool(3): map_async, a worker killed": map_async,
    "ProcessPoolExecutor(3): a worker killed": submit,
}
