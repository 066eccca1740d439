# SPDX-License-Identifier: MIT
"""furwock.aio: tasks wait for objects that other processes use."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import Any, Awaitable, Callable

import pytest

import furwock
from furwock import aio
from victims import Words, child, exit_code, kill, killed_after, wait_until

# Reached only by a hang.
LONG_S = 90.0


def run(main: Callable[[], Awaitable[Any]]) -> Any:
    """asyncio.run, which does not hang."""
    async def body() -> Any:
        return await asyncio.wait_for(main(), LONG_S)
    return asyncio.run(body())


def helpers() -> int:
    """How many helper threads there are."""
    return sum(thread.name == "furwock.aio" for thread in threading.enumerate())


def test_tasks_of_one_loop_exclude_each_other() -> None:
    lock = furwock.Mutex(relock="count")
    inside, order = [], []

    async def task(i: int) -> None:
        async with aio.Mutex(lock) as grant:  # wrappers of one object are the same
            assert grant == 1 and not grant.owner_died and not inside
            inside.append(i)
            await asyncio.sleep(0)
            await asyncio.sleep(0.001)
            inside.remove(i)
            order.append(i)

    async def main() -> None:
        await asyncio.gather(*(task(i) for i in range(20)))

    run(main)
    assert order == list(range(20)) and not lock.locked()


def test_a_lock_is_held_without_its_wrapper() -> None:
    lock, rwlock = furwock.Mutex(relock="count"), furwock.RWLock()

    async def main() -> None:
        assert await aio.Mutex(lock).acquire()
        assert not await aio.Mutex(lock).acquire(timeout=0.01)
        aio.Mutex(lock).release()
        assert await aio.Mutex(lock).acquire()
        aio.Mutex(lock).release()
        assert await aio.RWLock(rwlock).read.acquire()
        assert await aio.RWLock(rwlock).read.acquire()
        assert not await aio.RWLock(rwlock).write.acquire(timeout=0.01)
        for _ in range(2):
            aio.RWLock(rwlock).read.release()
        assert await aio.RWLock(rwlock).write.acquire()
        aio.RWLock(rwlock).write.release()

    run(main)
    assert not lock.locked()


def test_processes_with_loops_exclude_each_other() -> None:
    lock, count = furwock.Mutex(), Words(1)

    async def worker() -> None:
        shared = aio.Mutex(lock)
        for _ in range(50):
            async with shared:
                value = count[0]
                await asyncio.sleep(0)
                count[0] = value + 1

    async def main() -> None:
        await asyncio.gather(*(worker() for _ in range(3)))

    pids = [child(lambda: run(main)) for _ in range(2)]
    run(main)
    assert [exit_code(pid) for pid in pids] == [0, 0]
    assert count[0] == 3 * 3 * 50


def test_a_task_gets_the_lock_of_a_process_that_is_killed() -> None:
    lock, held = furwock.Mutex(), furwock.Event()

    def holder() -> None:
        lock.acquire()
        held.set()
        wait_until(lambda: os.getppid() == 1)

    pid = child(holder)
    assert held.wait(60)

    async def main() -> None:
        shared = aio.Mutex(lock)
        assert await shared.acquire(timeout=0.01) is False
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.005)
                ticks += 1
                if ticks == 5:
                    kill(pid)  # while the other task waits, and this one goes on

        ticker = asyncio.create_task(tick())
        async with shared as grant:
            assert grant.owner_died and grant.process == pid and ticks >= 5
        async with shared as grant:
            assert not grant.owner_died
        ticker.cancel()

    run(main)


def test_a_task_gets_the_lock_of_a_thread() -> None:
    lock = furwock.Mutex()
    held, leave = threading.Event(), threading.Event()

    def holder() -> None:
        with lock:
            held.set()
            leave.wait()

    thread = threading.Thread(target=holder)
    thread.start()
    held.wait()

    async def main() -> None:
        task = asyncio.create_task(aio.Mutex(lock).acquire())
        await asyncio.sleep(0.01)
        assert not task.done()
        leave.set()
        assert await task
        aio.Mutex(lock).release()

    run(main)
    thread.join()


def test_one_helper_thread_for_many_waiters() -> None:
    events = [furwock.Event() for _ in range(30)]
    semaphore = furwock.Semaphore(0)

    async def main() -> None:
        before = threading.active_count()
        tasks = [asyncio.create_task(aio.Event(e).wait()) for e in events for _ in range(3)]
        tasks += [asyncio.create_task(aio.Semaphore(semaphore).acquire()) for _ in range(10)]
        await asyncio.sleep(0.05)
        assert threading.active_count() <= before + 1 and not any(t.done() for t in tasks)
        pid = child(lambda: ([e.set() for e in events], semaphore.release(10)))
        assert all(await asyncio.gather(*tasks))
        assert exit_code(pid) == 0

    run(main)


def test_events() -> None:
    event = furwock.Event()

    async def main() -> None:
        shared = aio.Event(event)
        assert await shared.wait(0) is False and await shared.wait(0.02) is False
        task = asyncio.create_task(shared.wait())
        await asyncio.sleep(0.01)
        shared.set()
        shared.clear()
        assert await task and not shared.is_set()
        killed_after(event.set)
        assert await shared.wait(LONG_S)

    run(main)


def test_a_semaphore_and_permits_come_back() -> None:
    for plain, shared in ((furwock.Semaphore(1), aio.Semaphore), (furwock.Permits(1), aio.Permits)):
        held = furwock.Event()

        def holder(plain: Any = plain, held: furwock.Event = held) -> None:
            plain.acquire()
            held.set()
            wait_until(lambda: os.getppid() == 1)

        pid = child(holder)
        assert held.wait(60)

        async def main(plain: Any = plain, shared: Any = shared, pid: int = pid) -> None:
            units = shared(plain)
            assert await units.acquire(0) is False
            asyncio.get_running_loop().call_later(0.05, kill, pid)
            async with units as grant:
                assert grant.owner_died
            assert await units.acquire(LONG_S)
            units.release()

        run(main)


def test_a_condition_between_a_task_and_a_process() -> None:
    condition, turn = furwock.Condition(), Words(1)
    rounds = 30

    def process() -> None:
        for n in range(rounds):
            with condition:
                assert condition.wait_for(lambda n=n: turn[0] == 2 * n + 1, 60)
                turn[0] = turn[0] + 1
                condition.notify()

    pid = child(process)

    async def main() -> None:
        shared = aio.Condition(condition)
        for n in range(rounds):
            async with shared:
                turn[0] = turn[0] + 1
                shared.notify()
                assert await shared.wait_for(lambda n=n: turn[0] == 2 * n + 2)
        async with shared:
            assert await shared.wait(0.01) is False
            assert condition.lock._is_mine()
        with pytest.raises(furwock.NotHeld):
            await shared.wait()

    run(main)
    assert exit_code(pid) == 0


def test_a_notification_wakes_as_many_tasks() -> None:
    condition = furwock.Condition()

    async def main() -> None:
        shared, woken = aio.Condition(condition), []

        async def waiter(i: int) -> None:
            async with shared:
                assert await shared.wait()
                woken.append(i)

        tasks = [asyncio.create_task(waiter(i)) for i in range(5)]
        await asyncio.sleep(0.02)
        for n in (2, 1):
            async with shared:
                shared.notify(n)
            await asyncio.sleep(0.2)
        assert len(woken) == 3
        waiting = [task for task in tasks if not task.done()]
        waiting[0].cancel()
        await asyncio.sleep(0.01)
        async with shared:
            shared.notify_all()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert len(woken) == 4

    run(main)


def test_read_write_locks() -> None:
    lock, data = furwock.RWLock(), [0, 0]

    async def main() -> None:
        shared, readers = aio.RWLock(lock), [0]
        most = [0]

        async def reader() -> None:
            for _ in range(10):
                async with shared.read:
                    readers[0] += 1
                    most[0] = max(most[0], readers[0])
                    assert data[0] == data[1]
                    await asyncio.sleep(0)
                    readers[0] -= 1
                await asyncio.sleep(0)

        async def writer() -> None:
            for _ in range(5):
                async with shared.write:
                    assert readers[0] == 0
                    data[0] += 1
                    await asyncio.sleep(0)
                    data[1] += 1

        await asyncio.gather(*(reader() for _ in range(30)), *(writer() for _ in range(3)))
        assert most[0] > 1
        assert await shared.write.acquire(LONG_S)
        assert await shared.read.acquire(0.02) is False
        shared.write.release()

    run(main)
    assert data == [15, 15] and lock.mode is None


def test_a_release_of_what_is_not_held_lets_nobody_in() -> None:
    lock = furwock.RWLock()

    async def main() -> None:
        shared = aio.RWLock(lock)
        for side, mode in (shared.read, "read"), (shared.write, "write"):
            with pytest.raises(furwock.NotHeld):
                side.release()
            assert await side.acquire(LONG_S) and lock.mode == mode
            side.release()
            assert lock.mode is None
        assert await shared.read.acquire(LONG_S)
        writer = asyncio.create_task(shared.write.acquire(LONG_S))
        await asyncio.sleep(0.02)
        with pytest.raises(furwock.NotHeld):
            shared.write.release()
        second = asyncio.create_task(shared.write.acquire(LONG_S))
        await asyncio.sleep(0.02)
        shared.read.release()
        assert await writer and not second.done()
        shared.write.release()
        assert await second
        shared.write.release()

    run(main)


def test_a_condition_that_cannot_be_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    cond = furwock.Condition()

    async def refuse(*_: Any) -> bool:
        raise OSError("no descriptor is left")

    async def main() -> None:
        changed = aio.Condition(cond)
        with pytest.raises(OSError, match="no descriptor"):
            async with changed:
                with monkeypatch.context() as patched:
                    patched.setattr(aio, "wait_for_chance", refuse)
                    await changed.wait()
        async with changed:
            pass

    run(main)
    assert not cond.lock.locked()


def test_a_loop_that_is_closed_with_waiters() -> None:
    event, lock = furwock.Event(), furwock.Mutex()

    async def leave_waiter() -> None:
        asyncio.ensure_future(aio.Event(event).wait())
        await asyncio.sleep(0.02)

    loop = asyncio.new_event_loop()
    loop.run_until_complete(leave_waiter())
    tasks = asyncio.all_tasks(loop)
    loop.close()
    wait_until(lambda: helpers() == 0, "the end of the helper")
    event.set()

    async def main() -> None:
        async with aio.Mutex(lock):
            assert await aio.Event(event).wait()

    run(main)
    for task in tasks:
        task._log_destroy_pending = False  # type: ignore[attr-defined]


def test_after_a_fork() -> None:
    lock, event = furwock.Mutex(), furwock.Event()

    async def use() -> None:
        async with aio.Mutex(lock):
            assert await aio.Event(event).wait(0.01) is False

    async def main() -> None:
        await use()
        pid = os.fork()
        if pid == 0:
            try:
                thread = threading.Thread(target=lambda: run(use))
                thread.start()
                thread.join()
                os._exit(0)
            finally:
                os._exit(1)
        await use()
        assert exit_code(pid) == 0
        await use()

    run(main)
