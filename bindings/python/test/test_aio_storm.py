# SPDX-License-Identifier: MIT
"""furwock.aio under contention, cancellation and kills."""

from __future__ import annotations

import asyncio
import random
import threading
import time
import warnings
from typing import Any

import pytest

import furwock
from furwock import aio
from test_aio import run
from victims import child, exit_code, storm


def test_a_storm_of_cancellations_loses_nothing() -> None:
    mutex, semaphore, condition = furwock.Mutex(), furwock.Semaphore(2), furwock.Condition()
    stop = furwock.Event()

    def other() -> None:
        while not stop.is_set():
            for lock in (mutex, semaphore, condition):
                with lock:  # type: ignore[attr-defined]
                    pass
            with condition:
                condition.notify()
                condition.wait(0.001)

    pids = [child(other) for _ in range(2)]

    async def main() -> None:
        rng, inside = random.Random(5), [0]
        locks: list[Any] = [aio.Mutex(mutex), aio.Semaphore(semaphore), aio.Condition(condition)]

        async def use(lock: Any) -> None:
            async with lock:
                if isinstance(lock, aio.Mutex):
                    inside[0] += 1
                    assert inside[0] == 1
                try:
                    await asyncio.sleep(0)
                    if isinstance(lock, aio.Condition):
                        await lock.wait(0.002)
                finally:
                    if isinstance(lock, aio.Mutex):
                        inside[0] -= 1

        for _ in range(60):
            tasks = [asyncio.create_task(use(rng.choice(locks))) for _ in range(12)]
            await asyncio.sleep(rng.random() * 0.004)
            for task in rng.sample(tasks, 8):
                task.cancel()
            done = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(r is None or isinstance(r, asyncio.CancelledError) for r in done), done

    try:
        run(main)
    finally:
        stop.set()
    assert [exit_code(pid) for pid in pids] == [0, 0]
    assert not mutex.locked() and not condition.lock.locked()
    assert semaphore.value == 2 and not semaphore.is_signal
    assert mutex.acquire(timeout=60) and condition.acquire(timeout=60)


@pytest.mark.parametrize("make, wrap", [(furwock.Mutex, aio.Mutex),
                                        (lambda: furwock.Semaphore(1), aio.Semaphore),
                                        (lambda: furwock.Permits(1), aio.Permits)])
def test_threads_that_take_it_all_the_time_do_not_keep_it(make: Any, wrap: Any) -> None:
    plain, stop = make(), threading.Event()

    def hog() -> None:
        while not stop.is_set():
            with plain:
                time.sleep(0.0003)

    threads = [threading.Thread(target=hog) for _ in range(2)]
    for thread in threads:
        thread.start()

    async def main() -> None:
        for _ in range(5):
            async with wrap(plain):
                await asyncio.sleep(0)

    try:
        run(main)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_storm_of_kills(request: pytest.FixtureRequest) -> None:
    rounds = int(request.config.getoption("--storm")) or 5
    mutex, event = furwock.Mutex(on_death="consistent"), furwock.Event()
    semaphore = furwock.Semaphore(1)
    warnings.simplefilter("ignore", furwock.OwnerDiedWarning)

    async def use() -> None:
        async def one(lock: Any) -> None:
            async with lock:
                await asyncio.sleep(0)
        await asyncio.gather(*(one(aio.Mutex(mutex)) for _ in range(3)),
                             *(one(aio.Semaphore(semaphore)) for _ in range(3)))
        aio.Event(event).set()
        await aio.Event(event).wait(0.001)  # another may have cleared it
        aio.Event(event).clear()

    def plain() -> None:
        with mutex, semaphore:
            event.wait(0.0001)

    storm(lambda: run(use), [lambda: run(use), plain], rounds, progress=1)
