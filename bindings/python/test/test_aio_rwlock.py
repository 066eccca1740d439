# SPDX-License-Identifier: MIT
"""furwock.aio.RWLock: its sides, in loops of several processes."""

from __future__ import annotations

import asyncio
import os

import pytest

import furwock
from furwock import aio
from test_aio import LONG_S, run
from victims import child, exit_code, kill
from watched import Holder, is_waiting, until, watch


@pytest.mark.usefixtures("engine", "no_rechecks")
@pytest.mark.parametrize("theirs, ours", [("write", "write"), ("write", "read"),
                                          ("read", "write"), ("upgradable", "write")])
def test_a_read_write_lock_is_told(theirs: str, ours: str) -> None:
    lock = furwock.RWLock()
    holder = Holder(getattr(lock, theirs))

    async def main() -> None:
        side = getattr(aio.RWLock(lock), ours)
        assert await side.acquire(0) is False
        task = asyncio.create_task(side.acquire())
        await is_waiting()
        holder.leave()
        assert await task and lock.mode == ours
        side.release()
        assert lock.mode is None and watch()._timer is None

    run(main)
    holder.end()


@pytest.mark.usefixtures("engine")
def test_a_writer_that_gives_up_lets_readers_in() -> None:
    lock = furwock.RWLock()
    holder = Holder(lock.read)

    def read() -> None:
        assert lock.read.acquire(timeout=LONG_S)

    async def main() -> None:
        shared = aio.RWLock(lock)
        for _ in range(3):
            task = asyncio.create_task(shared.write.acquire())
            await is_waiting()
            pid = child(read)  # waits for the writer, which waits for the holder
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await until(lambda pid=pid: os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG
                                                  | os.WNOWAIT) is not None)
            assert exit_code(pid) == 0
            assert await shared.write.acquire(0.01) is False
        assert await shared.read.acquire()
        shared.read.release()

    run(main)
    assert lock.mode is None
    holder.leave()
    holder.end()
    with lock.write:
        pass


@pytest.mark.usefixtures("engine")
def test_a_writer_whose_process_is_killed_while_readers_are_inside() -> None:
    lock, waits = furwock.RWLock(), furwock.Event()

    async def write() -> None:
        task = asyncio.create_task(aio.RWLock(lock).write.acquire())
        await is_waiting()
        waits.set()
        await task

    assert lock.read.acquire()
    pid = child(lambda: run(write))
    assert waits.wait(LONG_S)
    kill(pid)
    lock.read.release()
    with lock.write as grant:
        assert not grant.owner_died  # it had not begun to write


def test_readers_of_one_loop_are_waited_for() -> None:
    lock, log = furwock.RWLock(), []

    async def main() -> None:
        shared = aio.RWLock(lock)

        async def reader(i: int) -> None:
            async with shared.read:
                log.append(f"in {i}")
                await asyncio.sleep(0.002)
                log.append("out")

        async def writer() -> None:
            async with shared.write:
                log.append("write")

        first = [asyncio.create_task(reader(i)) for i in range(3)]
        await asyncio.sleep(0)
        await until(lambda: len(log) == 3)
        second = [asyncio.create_task(writer()), asyncio.create_task(reader(3))]
        await asyncio.gather(*first, *second)

    run(main)
    assert log == ["in 0", "in 1", "in 2", "out", "out", "out", "write", "in 3", "out"]
