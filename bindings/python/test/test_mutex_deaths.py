# SPDX-License-Identifier: MIT
"""Deaths of holders, and what the policies make of them."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import pytest
from children import Child

import furwock


def die_with(lock: furwock.Mutex) -> int:
    """A process is killed while it holds the lock: its pid."""

    def child() -> None:
        lock.acquire()
        os.kill(os.getpid(), signal.SIGKILL)

    it = Child(child)
    os.waitpid(it.pid, 0)
    return it.pid


def test_report() -> None:
    lock = furwock.Mutex()
    pid = die_with(lock)
    assert (lock.state, lock.owner, lock.locked()) == ("dead", None, False)
    grant = lock.acquire()
    assert isinstance(grant, furwock.Grant) and lock.state == "mine"
    assert (grant.owner_died, grant.process, grant.thread, grant.generation) == (True, pid, pid, 1)
    assert lock.generation == 2
    grant.consistent()
    grant.consistent()
    lock.release()
    with lock as grant:
        assert not grant.owner_died


def test_a_block_left_by_an_exception_gives_up() -> None:
    lock = furwock.Mutex()
    die_with(lock)
    with pytest.raises(KeyError):
        with lock:
            raise KeyError
    for _ in range(2):
        with pytest.raises(furwock.LockLost):
            lock.acquire()
    with pytest.raises(furwock.LockLost):
        lock.acquire(timeout=0.01)
    with pytest.raises(furwock.LockLost):
        lock.acquire(blocking=False)
    assert not lock.locked() and lock.state == "lost"


def test_an_exception_without_a_death_gives_up_nothing() -> None:
    lock = furwock.Mutex()
    with pytest.raises(KeyError):
        with lock:
            raise KeyError
    with lock as grant:
        assert not grant.owner_died


def test_a_release_without_repair_gives_up() -> None:
    lock = furwock.Mutex()
    die_with(lock)
    lock.acquire()
    lock.release()
    with pytest.raises(furwock.LockLost):
        lock.acquire()


def test_a_second_death_before_repair() -> None:
    lock = furwock.Mutex()
    die_with(lock)
    second = die_with(lock)
    with lock as grant:
        assert grant.owner_died and grant.process == second
    assert lock.deaths == 2  # the second holder was told of the first one


def test_raise() -> None:
    lock = furwock.Mutex(on_death="raise")
    pid = die_with(lock)
    with pytest.raises(furwock.OwnerDied) as error:
        lock.acquire()
    grant: Any = error.value.grant
    assert grant.process == pid and lock._is_mine()
    with grant:
        pass
    assert not lock.locked()
    with lock as again:
        assert not again.owner_died


def test_raise_and_nobody_repairs() -> None:
    lock = furwock.Mutex(on_death="raise")
    die_with(lock)
    try:
        lock.acquire()
    except furwock.OwnerDied:
        pass
    with pytest.raises(furwock.LockLost):
        lock.acquire()


def test_raise_and_repair_by_hand() -> None:
    lock = furwock.Mutex(on_death="raise")
    die_with(lock)
    try:
        with lock:
            raise AssertionError("not reached")
    except furwock.OwnerDied as death:
        assert death.grant is not None
        death.grant.consistent()
        lock.release()
    with lock as grant:
        assert not grant.owner_died


def test_consistent() -> None:
    lock = furwock.Mutex(on_death="consistent")
    for deaths in (1, 2):
        pid = die_with(lock)
        if deaths == 1:
            with pytest.warns(furwock.OwnerDiedWarning, match=str(pid)):
                grant: Any = lock.acquire()
        else:
            grant = lock.acquire()
        assert grant.owner_died
        lock.release()
        assert lock.deaths == deaths
    assert lock.acquire()
    lock.release()


@pytest.mark.filterwarnings("error::furwock.OwnerDiedWarning")
def test_a_warning_that_is_an_error_gives_up_nothing() -> None:
    lock = furwock.Mutex(on_death="consistent")
    die_with(lock)
    with pytest.raises(furwock.OwnerDiedWarning):
        lock.acquire()
    assert not lock.locked()
    with lock as grant:
        assert not grant.owner_died


def test_a_function() -> None:
    told = []

    def repair(grant: furwock.Grant) -> None:
        assert lock._is_mine()
        told.append(grant.process)

    lock = furwock.Mutex(on_death=repair)
    pid = die_with(lock)
    with lock as grant:
        assert told == [pid] and grant.owner_died
    with lock:
        assert told == [pid]


def test_a_function_that_raises_gives_up() -> None:
    def repair(_: furwock.Grant) -> None:
        raise KeyError

    lock = furwock.Mutex(on_death=repair)
    die_with(lock)
    with pytest.raises(KeyError):
        lock.acquire()
    with pytest.raises(furwock.LockLost):
        lock.acquire()


def test_a_function_that_dies() -> None:
    def repair(grant: furwock.Grant) -> None:
        if os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        told.append(grant.process)

    parent = os.getpid()
    told: list[int] = []
    lock = furwock.Mutex(on_death=repair)
    die_with(lock)
    repairer = die_with(lock)
    with lock:
        assert told == [repairer]


def test_a_thread_that_ends_has_died() -> None:
    lock = furwock.Mutex()
    thread = threading.Thread(target=lock.acquire)
    thread.start()
    thread.join()
    with lock as grant:
        assert grant.owner_died and grant.process == os.getpid() != grant.thread


def test_a_waiter_is_told_at_once() -> None:
    lock = furwock.Mutex()
    holding, waiting = os.pipe(), os.pipe()

    def holder() -> None:
        lock.acquire()
        os.write(holding[1], b"x")
        os.read(waiting[0], 1)
        os.kill(os.getpid(), signal.SIGKILL)

    it = Child(holder)
    os.read(holding[0], 1)
    assert lock.owner == (it.pid, it.pid)
    os.write(waiting[1], b"x")
    with lock as grant:
        assert grant.owner_died and grant.process == it.pid
    os.waitpid(it.pid, 0)
    for fd in holding + waiting:
        os.close(fd)


def test_an_exec_is_a_death() -> None:
    lock = furwock.Mutex()

    def child() -> None:
        lock.acquire()
        os.execv("/bin/true", ["true"])

    Child(child).join()
    with lock as grant:
        assert grant.owner_died
