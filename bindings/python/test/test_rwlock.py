# SPDX-License-Identifier: MIT
"""furwock.RWLock, as its users see it."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import pytest
from children import Child, Pipe, wait_until

import furwock


def die_writing(lock: furwock.RWLock) -> Child:
    def child() -> None:
        lock.write.acquire()
        os.kill(os.getpid(), signal.SIGKILL)

    it = Child(child)
    it.status = os.waitpid(it.pid, 0)[1]
    return it


def test_readers_share_and_exclude_writers() -> None:
    lock = furwock.RWLock()
    inside, go = Pipe(), Pipe()

    def reader() -> None:
        with lock.read:
            inside.tell()
            go.await_it()

    readers = [Child(reader) for _ in range(2)]
    inside.await_it()
    inside.await_it()
    assert (lock.state, lock.readers, lock.owner) == ("held", 2, None)
    with lock.read as grant:
        assert grant == 1 and lock.mode == "read"
    assert lock.write.acquire(blocking=False) is False
    assert lock.write.acquire(timeout=0.01) is False
    go.tell()
    go.tell()
    for it in readers:
        it.join()
    with lock.write:
        assert lock.mode == "write"
        assert lock.owner == (os.getpid(), threading.get_native_id()) and lock.state == "mine"
        assert lock.read.acquire(blocking=False) is False
    assert lock.mode is None and lock.state == "free"
    inside.close()
    go.close()


def test_upgrade_and_downgrade() -> None:
    lock = furwock.RWLock()
    with lock.upgradable:
        assert lock.mode == "upgradable"
        assert lock.upgrade()
        assert lock.mode == "write"
        lock.downgrade_upgradable()
        assert lock.upgrade(timeout=5)
        lock.downgrade()
        assert lock.mode == "read"
    assert lock.mode is None
    with lock.write:
        lock.downgrade()
    assert lock.mode is None
    with pytest.raises(furwock.NotHeld):
        lock.upgrade()
    with lock.read:
        with pytest.raises(furwock.Deadlock):
            lock.write.acquire()


def test_a_reader_keeps_the_upgrade_waiting() -> None:
    lock = furwock.RWLock()
    inside, go = threading.Event(), threading.Event()

    def reader() -> None:
        with lock.read:
            inside.set()
            go.wait()

    thread = threading.Thread(target=reader)
    thread.start()
    inside.wait()
    with lock.upgradable:
        assert lock.upgrade(blocking=False) is False
        assert lock.upgrade(timeout=0.01) is False
        assert lock.mode == "upgradable"
        go.set()
        assert lock.upgrade()
    thread.join()


def test_a_killed_reader_has_released() -> None:
    lock = furwock.RWLock()
    inside = Pipe()

    def reader() -> None:
        lock.read.acquire()
        inside.tell()
        Pipe().await_it()

    it = Child(reader)
    inside.await_it()
    it.kill()
    with lock.write as grant:
        assert not grant.owner_died
    inside.close()


def test_a_killed_writer_is_reported_to_the_next_one() -> None:
    lock = furwock.RWLock()
    dead = die_writing(lock)
    assert lock.state == "dead"
    with pytest.raises(furwock.OwnerDied) as error:
        lock.read.acquire()
    assert error.value.grant is None and lock.mode is None
    with lock.write as grant:
        assert grant.owner_died and grant.process == dead.pid
    with lock.read as grant:
        assert not grant.owner_died
    assert lock.deaths == 1


def test_a_reader_repairs() -> None:
    told = []
    lock = furwock.RWLock(on_death=told.append)
    dead = die_writing(lock)
    with lock.read as grant:
        assert lock.mode == "read"
        assert grant.owner_died
    assert [grant.process for grant in told] == [dead.pid]
    with lock.read as grant:
        assert not grant.owner_died


def test_an_upgradable_reader_repairs() -> None:
    lock = furwock.RWLock(on_death="consistent")
    die_writing(lock)
    with pytest.warns(furwock.OwnerDiedWarning):
        with lock.upgradable:
            assert lock.mode == "upgradable"


def test_who_does_not_repair_gives_up() -> None:
    lock = furwock.RWLock(on_death="raise")
    die_writing(lock)
    with pytest.raises(furwock.OwnerDied) as error:
        lock.write.acquire()
    grant: Any = error.value.grant
    assert lock.mode == "write"
    with pytest.raises(KeyError):
        with grant:
            raise KeyError
    for side in (lock.read, lock.write):
        with pytest.raises(furwock.LockLost):
            side.acquire()


def test_by_name() -> None:
    name = f"/furwock-pycore-{os.getpid()}"
    region = furwock.Region(name, size=1 << 16)
    try:
        lock = furwock.RWLock(region, "table")
        with pytest.raises(furwock.Error):
            furwock.RWLock(region, "other", create=False)
        with pytest.raises(furwock.Error):
            furwock.Mutex(region, "table")
        with lock.write:
            assert furwock.RWLock(region, "table", create=False).mode == "write"
    finally:
        region.unlink()


def test_waiting_threads_take_turns() -> None:
    lock = furwock.RWLock()
    entered = []

    def writer() -> None:
        with lock.write:
            entered.append("writer")

    with lock.read:
        thread = threading.Thread(target=writer)
        thread.start()
        wait_until(lambda: not entered and _has_writer(lock), "the writer waits")
    thread.join()
    assert entered == ["writer"]


def _has_writer(lock: furwock.RWLock) -> bool:
    """Is a writer waiting? Then another thread cannot read."""
    got = []

    def attempt() -> None:
        got.append(bool(lock.read.acquire(blocking=False)))
        if got[0]:
            lock.read.release()

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    return not got[0]
