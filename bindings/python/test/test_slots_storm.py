# SPDX-License-Identifier: MIT
"""Processes that allocate, fork and are killed: no slot is lost, none is handed out twice."""

from __future__ import annotations

import os
import random
import signal
import time
from typing import List

from children import Child, wait_until

import furwock

WORKERS = 3
FEW_ROUNDS = 60


def work(region: furwock.Region, seed: int) -> None:
    """Make and drop locks until killed. A slot with a second owner would be zeroed, or held."""
    dice = random.Random(seed)
    mine: List[furwock.Mutex] = []
    while True:
        action = dice.random()
        if action < 0.5 and len(mine) < 40:
            lock = furwock.Mutex(region)
            assert lock.generation == 0, "a new object has a past"
            assert lock.acquire(blocking=False), "a new object is held"
            mine.append(lock)
        elif action < 0.9 and mine:
            lock = mine.pop(dice.randrange(len(mine)))
            assert lock._is_mine() and lock.generation == 1, "somebody else has used it"
            lock.release()
            del lock
        elif action < 0.92:
            family(mine, dice)


def family(mine: List[furwock.Mutex], dice: random.Random) -> None:
    """A child that keeps the locks for a moment, drops them, or is killed while it does so."""
    pid = os.fork()
    if pid == 0:
        code = 0
        for lock in mine:
            if lock.generation != 1 or lock._is_mine():
                code = 1
        if dice.random() < 0.5:
            mine.clear()
        os._exit(code)
    if dice.random() < 0.5:
        os.kill(pid, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]
    assert status in (0, signal.SIGKILL), "a child has found somebody else in its lock"


def test_kill_at_random(storm: int) -> None:
    fd = os.memfd_create("furwock-test-storm")
    region = furwock.Region(fd=fd, size=1 << 20)
    os.close(fd)
    dice = random.Random(os.getpid())
    kept = [furwock.Mutex(region) for _ in range(10)]
    for lock in kept:
        lock.acquire()
    workers = [Child(work, region, dice.random()) for _ in range(WORKERS)]
    for _ in range(storm or FEW_ROUNDS):
        time.sleep(dice.random() * 0.01)  # a random moment: nothing is ordered by it
        victim = dice.randrange(WORKERS)
        pid, status = os.waitpid(workers[victim].pid, os.WNOHANG)
        assert pid == 0, f"a worker has failed with status {status}"
        workers[victim].kill()
        workers[victim] = Child(work, region, dice.random())
        if dice.random() < 0.1:
            region.collect()
    for worker in workers:
        worker.kill()
    for lock in kept:
        assert lock._is_mine() and lock.generation == 1
        lock.release()
    del lock

    def all_free() -> bool:  # children of the killed may live for a moment
        region.collect()
        return region.slots[0] == 0

    kept.clear()
    wait_until(all_free, "all slots are free")
    everything = [furwock.Mutex(region) for _ in range(region.slots[1])]
    assert len({lock.handle for lock in everything}) == region.slots[1]
