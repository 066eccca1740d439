# SPDX-License-Identifier: MIT
"""Anonymous objects: they live as long as any living process refers to them."""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pytest
from children import Child, Pipe, wait_until

import furwock


@pytest.fixture(name="region")
def make_region() -> Iterator[furwock.Region]:
    fd = os.memfd_create("furwock-test-slots")
    region = furwock.Region(fd=fd, size=1 << 20)
    os.close(fd)
    gc.collect()
    yield region


def used(region: furwock.Region) -> int:
    gc.collect()
    return region.slots[0]


def test_a_dropped_object_is_free(region: furwock.Region) -> None:
    locks = [furwock.Mutex(region) for _ in range(100)]
    assert used(region) == 100
    assert len({lock.handle for lock in locks}) == 100
    del locks
    assert used(region) == 0


def test_all_slots_can_be_used_again(region: furwock.Region) -> None:
    total = region.slots[1]
    for _ in range(3):
        locks = [furwock.Mutex(region) for _ in range(total)]
        with pytest.raises(furwock.NoSlot):
            furwock.Mutex(region)
        locks.clear()
    assert used(region) == 0


def test_a_new_object_is_not_a_former_one(region: furwock.Region) -> None:
    lock = furwock.Mutex(region)
    handle = lock.handle
    with lock:
        pass
    again = furwock.Mutex._from_handle(handle)
    assert again.generation == 1
    del lock, again
    for _ in range(region.slots[1]):  # the slot is used again at some time
        assert furwock.Mutex(region).generation == 0
        with pytest.raises(furwock.Error):
            furwock.Mutex._from_handle(handle)


def test_two_wrappers_are_one_lock(region: furwock.Region) -> None:
    lock = furwock.Mutex(region, relock="count")
    other = furwock.Mutex._from_handle(lock.handle)
    with lock:
        assert other._is_mine()
        other.acquire()
        assert lock._count() == 2
        other.release()
    assert used(region) == 1
    del lock
    assert used(region) == 1
    del other
    assert used(region) == 0


def test_a_child_keeps_what_the_parent_drops(region: furwock.Region) -> None:
    lock = furwock.Mutex(region)
    go, done = Pipe(), Pipe()

    def child() -> None:
        go.await_it()
        with lock:
            done.tell()
            go.await_it()

    it = Child(child)
    del lock, child
    assert used(region) == 1
    others = [furwock.Mutex(region) for _ in range(10)]
    go.tell()
    done.await_it()
    for other in others:
        with other:
            pass
    del others, other
    go.tell()
    it.join()
    assert region.collect() == 1
    assert used(region) == 0
    go.close()
    done.close()


def test_what_a_killed_process_had_comes_back(region: furwock.Region) -> None:
    ready = Pipe()

    def child() -> None:
        kept = [furwock.Mutex(region) for _ in range(50)]
        kept[0].acquire()
        ready.tell()
        Pipe().await_it()

    it = Child(child)
    ready.await_it()
    assert used(region) == 50
    it.kill()
    assert region.collect() == 50
    assert used(region) == 0
    ready.close()


def test_a_program_that_closes_all_descriptors(region: furwock.Region) -> None:
    """As daemons do: the slots stay theirs, and are free after their death."""
    ready, go = Pipe(), Pipe()

    def child() -> None:
        lock = furwock.Mutex(region)
        for fd in range(3, 256):
            if fd not in (ready.writer, go.reader):
                try:
                    os.close(fd)
                except OSError:
                    pass
        lock.acquire()
        ready.tell()
        go.await_it()
        assert lock._is_mine() and lock.generation == 1
        with furwock.Mutex(region):  # still makes new ones
            pass

    it = Child(child)
    ready.await_it()
    assert region.collect() == 0
    others = [furwock.Mutex(region) for _ in range(region.slots[1] - 1)]
    with pytest.raises(furwock.NoSlot):
        furwock.Mutex(region)
    others.clear()
    go.tell()
    it.join()
    assert used(region) == 0
    ready.close()
    go.close()


def test_a_grandchild_of_a_dead_child(region: furwock.Region) -> None:
    lock = furwock.Mutex(region)
    pids, go = Pipe(), Pipe()

    def grandchild() -> None:
        pids.tell()
        go.await_it()
        with lock:
            pass

    def child() -> None:
        Child(grandchild)
        pids.tell()

    it = Child(child)
    it.join()
    pids.await_it()
    pids.await_it()
    del lock, child, grandchild
    assert region.collect() == 0
    assert used(region) == 1
    go.tell()
    wait_until(lambda: region.collect() >= 0 and used(region) == 0, "the grandchild's slot is free")
    pids.close()
    go.close()


def test_a_subprocess_has_no_part(region: furwock.Region) -> None:
    lock = furwock.Mutex(region)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as it:
        del lock
        region.collect()  # Popen may have forked: its child's part ended with exec
        assert used(region) == 0
        it.communicate(b"\n")
    assert it.returncode == 0


def test_more_processes_than_rows() -> None:
    """What the surplus children refer to stays; nothing is handed out twice."""
    fd = os.memfd_create("furwock-test-slots")
    region = furwock.Region(fd=fd, size=1 << 17)
    os.close(fd)
    rows = max(32, region.size // 8192)
    lock = furwock.Mutex(region)
    go = Pipe()
    children = [Child(go.await_it) for _ in range(rows + 3)]
    children.append(Child(lock.acquire))
    children.pop().join()
    with lock as grant:
        assert grant.owner_died
    for it in children:
        go.tell()
    for it in children:
        it.join()
    del lock
    fresh = furwock.Mutex(region)
    assert fresh.generation == 0
    go.close()


def test_a_lock_that_is_dropped_while_it_is_read(tmp_path: Path) -> None:
    """The next one in its slot is nobody's, and others may write."""
    region = furwock.Region(tmp_path / "region", size=65536)

    def drop() -> int:
        lock = furwock.RWLock(region)
        assert lock.read.acquire() and lock.read.acquire()
        return int(lock.handle[3][0])

    kept: list[furwock.RWLock] = []
    for _ in range(20):  # more than a thread may have read locks
        kept.clear()
        at = drop()
        kept.append(furwock.RWLock(region))
        while kept[-1].handle[3][0] != at:
            with contextlib.suppress(furwock.NoSlot):
                kept.append(furwock.RWLock(region))
                continue
            del kept[1:]
        assert kept[-1].mode is None
        kept[-1].write.acquire()
        kept[-1].release()


def test_objects_without_names_after_unlink(tmp_path: Path) -> None:
    """Those that have the region open keep it, whole."""
    region = furwock.Region(tmp_path / "region", size=65536)
    region.unlink()
    with furwock.Mutex(region) as grant:
        assert grant
    assert not (tmp_path / "region").exists()
