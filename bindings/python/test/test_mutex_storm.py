# SPDX-License-Identifier: MIT
"""Holders and waiters that are killed at random: the others go on, and find the data whole."""

from __future__ import annotations

import os
import random
import time
from contextlib import contextmanager
from typing import Any, Iterator, List

import pytest
from children import Child, wait_until

import furwock

WORKERS = 3
FEW_ROUNDS = 25


class Pair:
    """Two numbers that are equal whenever nobody changes them, and how often each worker did."""

    def __init__(self, region: furwock.Region) -> None:
        self.words = region.data("pair", 8 * (2 + WORKERS)).cast("q")

    def repair(self, _: Any = None) -> None:
        """What a dead holder has left."""
        self.words[1] = self.words[0]

    def change(self, worker: int) -> None:
        """One step, in two halves."""
        assert self.words[0] == self.words[1], "half a change is seen"
        self.words[0] += 1
        for _ in range(300):  # most are killed here
            pass
        self.words[1] += 1
        self.words[2 + worker] += 1


@contextmanager
def mutex(lock: Any, pair: Pair) -> Iterator[None]:
    with lock as grant:
        if grant.owner_died:
            pair.repair()
        yield


@contextmanager
def repaired(lock: Any, _: Pair) -> Iterator[None]:
    with lock:
        yield


@contextmanager
def by_acquire(lock: Any, pair: Pair) -> Iterator[None]:
    grant = lock.acquire(timeout=600)
    assert grant, "nobody can have it for that long"
    if grant.owner_died:
        pair.repair()
        grant.consistent()
    yield
    lock.release()


@contextmanager
def writing(lock: Any, pair: Pair) -> Iterator[None]:
    if random.random() < 0.5:
        with lock.read:
            assert pair.words[0] == pair.words[1], "a reader sees half a change"
    with lock.upgradable if random.random() < 0.3 else lock.write as grant:
        if grant.owner_died and lock.mode == "write":
            pair.repair()
        if lock.mode == "upgradable":
            lock.upgrade()
        yield


def make(region: furwock.Region, pair: Pair) -> Any:
    """Each lock, with the way in which it is used."""
    path = region.name + ".lock" if region.name is not None else ""
    return {
        "report": (furwock.Mutex(region), mutex),
        "function": (furwock.Mutex(region, on_death=pair.repair), repaired),
        "repeat": (furwock.Mutex(region, on_death="repeat"), mutex),
        "acquire": (furwock.Mutex(region, "named", relock="count"), by_acquire),
        "lock": (furwock.lock(path), mutex),
        "rwlock": (furwock.RWLock(region, on_death=pair.repair), writing),
    }


def work(lock: Any, enter: Any, pair: Pair, worker: int) -> None:
    random.seed(os.getpid())
    while True:
        with enter(lock, pair):
            pair.change(worker)


@pytest.mark.parametrize("kind", ["report", "function", "repeat", "acquire", "lock", "rwlock"])
def test_kill_at_random(kind: str, storm: int, tmp_path: Any) -> None:
    region = furwock.Region(tmp_path / "region", size=1 << 18)
    pair = Pair(region)
    lock, enter = make(region, pair)[kind]
    workers: List[Child] = [Child(work, lock, enter, pair, i) for i in range(WORKERS)]
    for _ in range(storm or FEW_ROUNDS):
        time.sleep(random.random() * 0.003)  # a random moment: nothing is ordered by it
        victim = random.randrange(WORKERS)
        workers[victim].kill()
        before = list(pair.words[2:])
        others = [i for i in range(WORKERS) if i != victim]
        for i in others:
            assert os.waitpid(workers[i].pid, os.WNOHANG)[0] == 0, "a worker has failed"
        wait_until(lambda before=before, others=others:  # type: ignore[misc]
                   all(pair.words[2 + i] > before[i] for i in others), "the others go on")
        workers[victim] = Child(work, lock, enter, pair, victim)
    for it in workers:
        it.kill()
    with enter(lock, pair):
        assert pair.words[0] == pair.words[1]
