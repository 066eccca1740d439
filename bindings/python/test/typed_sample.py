# SPDX-License-Identifier: MIT
"""A program that type checkers must accept: what a user writes. (Not run: only checked.)"""

from __future__ import annotations

import asyncio
from typing import Optional

import furwock
from furwock import aio


def repair(grant: furwock.Grant) -> None:
    """A repair function."""
    print(grant.process, grant.thread, grant.generation)
    grant.consistent()


def locks(region: Optional[furwock.Region]) -> int:
    """Everything with a lock in it."""
    mutex = furwock.Mutex(region, on_death=repair)
    with mutex as grant:
        if grant.owner_died:
            repair(grant)
    got = mutex.acquire(timeout=1.5)
    if got:
        mutex.release()
    condition = furwock.Condition(mutex)
    with condition:
        found: Optional[str] = condition.wait_for(lambda: "text", timeout=0.1)
        condition.notify(2)
    semaphore = furwock.Semaphore(2, bound=3)
    with semaphore as grant:
        print(grant.owner_died, semaphore.value + semaphore.deaths, found)
    permits = furwock.Permits(4)
    taken = permits.take(timeout=1)
    if taken is not None:
        number, grant = taken
        permits.give(number)
    lock = furwock.RWLock(region)
    with lock.read, furwock.Mutex(relock="count"):
        pass
    return furwock.Barrier(2, lambda: None, on_death="go_on").wait(timeout=3)


class Named(furwock.Event):
    """A class of one's own."""

    def wait_long(self) -> bool:
        """Waits."""
        return self.wait(60)


async def tasks(event: furwock.Event, mutex: furwock.Mutex, condition: furwock.Condition) -> None:
    """asyncio."""
    async with aio.Mutex(mutex) as grant:
        print(grant.owner_died)
    shared = aio.Condition(condition)
    async with shared:
        number: int = await shared.wait_for(lambda: 3)
        shared.notify()
    if await aio.Event(event).wait(timeout=2.5) and await aio.Mutex(mutex).acquire(timeout=number):
        pass


if __name__ == "__main__":
    locks(furwock.default_region())
    asyncio.run(tasks(Named(), furwock.Mutex(), furwock.Condition()))
