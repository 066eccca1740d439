# SPDX-License-Identifier: MIT
"""Memory of a region that was overwritten: exceptions, and no crash."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest
from children import Child

import furwock


def make_region(size: int = 1 << 18) -> furwock.Region:
    fd = os.memfd_create("furwock-test-corrupt")
    try:
        return furwock.Region(fd=fd, size=size)
    finally:
        os.close(fd)


def offset_of(obj: Any) -> int:
    return int(obj.handle[3][0])


def test_an_overwritten_lock() -> None:
    region = make_region()
    mutex, rwlock, once = furwock.Mutex(region), furwock.RWLock(region), furwock.Once(region)
    for obj in (mutex, rwlock, once):
        os.pwrite(region.fileno(), b"\xee" * 8, offset_of(obj))
    for call in (mutex.acquire, mutex.locked, lambda: mutex.owner, rwlock.read.acquire,
                 rwlock.write.acquire, lambda: rwlock.state, lambda: once.call(int)):
        with pytest.raises(furwock.CorruptRegion):
            call()
    del mutex, rwlock, once
    with furwock.Mutex(region):  # what is new is sound
        pass


def test_an_overwritten_table() -> None:
    region = make_region()
    lock = furwock.Mutex(region)
    start = offset_of(lock) // 4096 * 4096 - 8192
    for at in range(start, start + 8192, 8):
        os.pwrite(region.fileno(), b"\xdd" * 8, at)
    with lock:  # it lies elsewhere
        pass
    for _ in range(3):
        with pytest.raises(furwock.Error):
            furwock.Mutex(region)


def scribble(seed: int) -> None:
    """Everywhere in a region, with all calls afterwards; a crash is seen by the parent."""
    dice = random.Random(seed)
    region = make_region(1 << 17)
    objects: list[Any] = [furwock.Mutex(region), furwock.RWLock(region).write,
                          furwock.RWLock(region).read, furwock.Mutex(region, "named")]
    for _ in range(2000):
        os.pwrite(region.fileno(), dice.randbytes(8), dice.randrange(region.size // 8 - 1) * 8)
    for _ in range(20):
        try:
            objects.append(furwock.Mutex(region))
            objects.append(furwock.Mutex._from_handle(objects[0].handle))
            region.collect()
            Child(region.collect).join()
        except (furwock.Error, AssertionError):
            pass
        for obj in objects:
            try:
                if obj.acquire(timeout=0.001):
                    obj.release()
            except furwock.Error:
                pass
        objects = objects[:4]


@pytest.mark.parametrize("seed", range(8))
def test_scribbled_over(seed: int) -> None:
    it = Child(scribble, seed)
    status = os.waitpid(it.pid, 0)[1]
    assert not os.WIFSIGNALED(status), f"killed by signal {os.WTERMSIG(status)}"
    assert status == 0
