# SPDX-License-Identifier: MIT
"""How furwock.aio is told: by a descriptor, in several loops, threads and processes."""

from __future__ import annotations

import asyncio
import random
import threading
from typing import Any

import pytest

import furwock
from furwock import aio, multiprocessing
from test_aio import LONG_S, run
from victims import Words, child, exit_code, kill, wait_until
from watched import Holder, is_waiting, watch


@pytest.mark.usefixtures("engine", "no_rechecks")
@pytest.mark.parametrize("make, wrap", [(furwock.Mutex, aio.Mutex),
                                        (lambda: furwock.Semaphore(1), aio.Semaphore),
                                        (lambda: furwock.Permits(1), aio.Permits)])
def test_a_release_is_told(make: Any, wrap: Any) -> None:
    plain = make()
    holder = Holder(plain)

    async def main() -> None:
        task = asyncio.create_task(wrap(plain).acquire())
        await is_waiting()
        holder.leave()
        assert await task
        wrap(plain).release()
        assert not watch()._waiting and watch()._timer is None

    run(main)
    holder.end()


@pytest.mark.usefixtures("engine", "no_rechecks")
@pytest.mark.parametrize("make, wrap", [(furwock.Mutex, aio.Mutex),
                                        (lambda: furwock.Semaphore(1), aio.Semaphore)])
def test_a_death_is_told(make: Any, wrap: Any) -> None:
    plain = make()
    holder = Holder(plain)

    async def main() -> None:
        task = asyncio.create_task(wrap(plain).acquire())
        await is_waiting()
        kill(holder.pid)
        grant = await task
        assert grant.owner_died and grant.process == holder.pid

    run(main)


@pytest.mark.usefixtures("engine", "no_rechecks")
def test_permits_of_the_dead_are_told() -> None:
    permits = furwock.Permits(3)
    holders = [Holder(permits) for _ in range(3)]

    async def main() -> None:
        task = asyncio.create_task(aio.Permits(permits).acquire())
        await is_waiting()
        kill(holders[1].pid)
        assert await task
        aio.Permits(permits).release()

    run(main)
    for i in 0, 2:
        kill(holders[i].pid)


@pytest.mark.usefixtures("engine", "no_rechecks")
def test_the_death_of_one_that_notified_is_told() -> None:
    condition, notified = furwock.Condition(), furwock.Event()

    def notify() -> None:
        with condition:
            condition.notify()  # the waiter is moved to the lock
            notified.set()
            threading.Event().wait()

    async def main() -> None:
        shared = aio.Condition(condition)
        await shared.acquire()
        task = asyncio.create_task(shared.wait())
        await is_waiting()
        pid = child(notify)
        await aio.Event(notified).wait()
        kill(pid)
        await task
        shared.release()

    run(main)


@pytest.mark.usefixtures("engine", "no_rechecks")
def test_events_and_notifications_are_told() -> None:
    event, condition = furwock.Event(), furwock.Condition()
    pids = []

    def notify() -> None:
        with condition:
            condition.notify()

    async def wait() -> Any:
        async with aio.Condition(condition):
            return await aio.Condition(condition).wait()

    async def main() -> None:
        tasks = [asyncio.create_task(aio.Event(event).wait()) for _ in range(3)]
        await is_waiting(3)
        pids.append(child(event.set))
        assert await asyncio.gather(*tasks) == [True] * 3
        task = asyncio.create_task(wait())
        await is_waiting()
        pids.append(child(notify))
        assert await task

    run(main)
    assert [exit_code(pid) for pid in pids] == [0, 0]


def look_at(event: furwock.Event) -> None:
    """Begins to wait for an event, which is set already."""
    future = asyncio.get_running_loop().create_future()
    assert watch().add(event, aio.token_of(event), future) is None


@pytest.mark.usefixtures("engine", "no_rechecks")
@pytest.mark.parametrize("cancels", [False, True])
def test_what_another_wait_has_found_is_told(cancels: bool) -> None:
    awaited, never, is_set = furwock.Event(), furwock.Event(), furwock.Event()
    is_set.set()

    async def main() -> None:
        task = asyncio.create_task(aio.Event(awaited).wait())
        other = asyncio.create_task(aio.Event(never).wait())
        await is_waiting(2)
        assert exit_code(child(awaited.set)) == 0
        # From here to the next await: what the kernel has told is found by this call already.
        if cancels:
            watch().discard(max(watch()._waiting))
        else:
            look_at(is_set)
        assert await task
        other.cancel()

    run(main)


@pytest.mark.usefixtures("engine")
def test_loops_in_several_threads() -> None:
    lock, rwlock, semaphore = furwock.Mutex(), furwock.RWLock(), furwock.Semaphore(2)
    count, inside, errors = [0, 0, 0], [0], []

    async def task(rng: random.Random) -> None:
        for _ in range(20):
            async with aio.Mutex(lock):
                value = count[0]
                await asyncio.sleep(0)
                count[0] = value + 1
            if rng.random() < 0.3:
                async with aio.RWLock(rwlock).write:
                    count[1] += 1
                    await asyncio.sleep(0)
                    count[2] += 1
            else:
                async with aio.RWLock(rwlock).read:
                    assert count[1] == count[2]
            async with aio.Semaphore(semaphore):
                inside[0] += 1
                assert inside[0] <= 2
                await asyncio.sleep(0)
                inside[0] -= 1

    def thread(i: int) -> None:
        async def main() -> None:
            await asyncio.gather(*(task(random.Random(10 * i + j)) for j in range(3)))
        try:
            run(main)
        except BaseException as error:  # pylint: disable=broad-except
            errors.append(error)

    threads = [threading.Thread(target=thread, args=(i,)) for i in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not errors and count[0] == 3 * 3 * 20 and count[1] == count[2]


@pytest.mark.usefixtures("engine")
def test_a_task_that_is_cancelled_as_it_is_granted() -> None:
    lock, stop, turns = furwock.Mutex(), furwock.Event(), Words(1)

    def other() -> None:
        while not stop.is_set():
            with lock:
                turns[0] = turns[0] + 1

    pid = child(other)

    async def main() -> None:
        rng = random.Random(3)
        for _ in range(200):
            tasks = [asyncio.create_task(aio.Mutex(lock).acquire()) for _ in range(2)]
            for _ in range(rng.randrange(4)):
                await asyncio.sleep(0)
            for task in tasks:
                task.cancel()
            for result in await asyncio.gather(*tasks, return_exceptions=True):
                if not isinstance(result, asyncio.CancelledError):
                    aio.Mutex(lock).release()

    try:
        run(main)
        before = turns[0]
        wait_until(lambda: turns[0] != before, "the other process goes on")
    finally:
        stop.set()
    assert exit_code(pid) == 0 and not lock.locked()


def test_uvloop() -> None:
    uvloop = pytest.importorskip("uvloop")
    lock, rwlock = furwock.Mutex(), furwock.RWLock()
    holders = [Holder(lock), Holder(rwlock.read)]

    async def main() -> None:
        assert isinstance(asyncio.get_running_loop(), uvloop.Loop)
        tasks = [asyncio.create_task(side.acquire())
                 for side in (aio.Mutex(lock), aio.RWLock(rwlock).write)]
        await is_waiting(2)
        for holder in holders:
            holder.leave()
        assert all(await asyncio.gather(*tasks))

    loop = uvloop.new_event_loop()
    try:
        loop.run_until_complete(asyncio.wait_for(main(), LONG_S))
    finally:
        loop.close()
    for holder in holders:
        holder.end()


def _spawned(lock: furwock.Mutex, event: furwock.Event) -> None:
    async def main() -> None:
        async with aio.Mutex(lock):
            aio.Event(event).set()
            await asyncio.sleep(0)
    asyncio.run(main())


def test_a_spawned_child() -> None:
    lock, event = furwock.Mutex(), furwock.Event()
    process = multiprocessing.get_context("spawn").Process(target=_spawned, args=(lock, event))

    async def main() -> None:
        async with aio.Mutex(lock):
            process.start()
            assert await aio.Event(event).wait(0.01) is False
        assert await aio.Event(event).wait()
        async with aio.Mutex(lock):
            pass

    run(main)
    process.join()
    assert process.exitcode == 0
