# SPDX-License-Identifier: MIT
"""Each call of each class counts references right: nothing is lost, and nothing leaks."""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
import weakref
from typing import Any, Callable

import pytest

import furwock
from furwock import _furwock

ROUNDS = 400


def failing(function: Callable[..., object], *args: Any, **names: Any) -> None:
    """A call that raises."""
    with contextlib.suppress(Exception):
        function(*args, **names)


def use_mutex() -> None:
    """Every method of a Mutex."""
    lock = furwock.Mutex(relock="count")
    with lock:
        lock.acquire(timeout=0)
        lock.release()
    failing(lock.release)
    failing(lock.acquire, "x", "y", "z")
    failing(furwock.Mutex, relock="never")
    assert not lock.locked() and lock.owner is None and lock.last_death is None
    furwock.Mutex._from_handle(lock.handle)


def use_rwlock() -> None:
    """Every side of an RWLock."""
    lock = furwock.RWLock()
    with lock.read:
        lock.read.acquire(False)
        lock.read.release()
    with lock.write:
        assert lock.mode == "write"
    failing(lock.release)
    with lock.read:
        failing(lock.write._begin)
    assert lock.write._begin()
    lock.write.release()
    lock.write._give_up()
    failing(lock.write._go_on)


def use_condition() -> None:
    """Every method of a Condition."""
    condition = furwock.Condition()
    with condition:
        condition.notify()
        condition.notify_all()
        condition.wait(0)
        condition.wait_for(lambda: [1], 0)
        condition.wait_for(lambda: [], 0)
        failing(condition.wait_for, lambda: 1 / 0)
        condition._end(condition._begin(), False)
    failing(condition.wait)
    failing(furwock.Condition, 3)
    condition.acquire(timeout=0)
    condition.release()
    furwock.Condition(condition.lock)
    again = furwock.Condition._from_handle(condition.handle)
    failing(again.acquire)
    again.__setstate__((condition.lock, None, None))


def use_semaphore() -> None:
    """Every method of a Semaphore."""
    semaphore = furwock.Semaphore(2, bound=2)
    with semaphore:
        semaphore.acquire()
        assert semaphore.acquire(False) is False and semaphore.acquire(True, 0) is False
        semaphore.release()
    failing(semaphore.release)
    failing(semaphore.release, "x")
    failing(furwock.Semaphore, -1)
    assert (semaphore.value, semaphore.bound, semaphore.deaths) == (2, 2, 0)
    furwock.Semaphore._from_handle(semaphore.handle)


def use_permits() -> None:
    """Every method of Permits."""
    permits = furwock.Permits(2)
    with permits:
        permits.acquire(False)
        permits.take(False)
        permits.release()
    taken = permits.take()
    assert taken is not None
    permits.give(taken[0])
    failing(permits.give, "x")
    failing(permits.release)
    assert (permits.count, permits.value, permits.held) == (2, 2, 0)


def use_event() -> None:
    """Every method of an Event."""
    event = furwock.Event()
    event.wait(0)
    event.set()
    assert event.wait() and event.is_set()
    event.clear()
    failing(event.wait, "x")
    furwock.Event._from_handle(event.handle)


def use_barrier() -> None:
    """Every method of a Barrier."""
    barrier = furwock.Barrier(1, lambda: [1], 3)
    barrier.wait()
    barrier.abort()
    failing(barrier.wait)
    barrier.reset()
    barrier.leave()
    failing(furwock.Barrier(1, lambda: 1 / 0).wait)
    failing(furwock.Barrier(2).wait, 0)
    failing(furwock.Barrier, 2, 3)
    assert (barrier.parties, barrier.n_waiting, barrier.broken) == (1, 0, False)
    furwock.Barrier._from_handle(barrier.handle).__setstate__((None, None, None))


def use_watcher() -> None:
    """Every method of a _Watcher."""
    watcher, event, lock = _furwock._Watcher(), furwock.Event(), furwock.Mutex()
    assert watcher.add(lock, 0) is None
    keys = [watcher.add(event, watcher.token(event)) for _ in range(3)]
    assert watcher.run(True) == [] and watcher.fileno() >= 0
    watcher.discard(keys[2])
    event.set()
    assert watcher.run(True) == keys[:2]
    watcher.discard(keys[0])
    event.clear()
    watcher.add(event, watcher.token(event))
    assert watcher.has_news() in (True, False) and not watcher.needs_rechecks()
    failing(watcher.add, 3, 0)
    failing(watcher.add, furwock.Barrier(2), 0)
    failing(watcher.discard, "3")
    failing(watcher.token, 3)


ALL = [use_mutex, use_rwlock, use_condition, use_semaphore, use_permits, use_event, use_barrier,
       use_watcher]


def counts() -> dict[str, int]:
    """References to what the extension returns all the time, and to its types."""
    things = {name: getattr(furwock, name) for name in furwock.__all__}
    things.update({"None": None, "True": True, "False": False, "0": 0, "Watcher": _furwock._Watcher,
                   "grant": furwock.Mutex().acquire()})
    return {name: sys.getrefcount(thing) for name, thing in things.items()}


@pytest.mark.parametrize("use", ALL, ids=lambda use: use.__name__)
def test_counts_stay(use: Callable[[], None]) -> None:
    use()
    gc.collect()
    slots, before = furwock.default_region().slots, counts()
    for _ in range(ROUNDS):
        use()
    gc.collect()
    after = counts()
    off = {name: after[name] - n for name, n in before.items() if abs(after[name] - n) > 40}
    assert not off, off
    assert furwock.default_region().slots == slots


def test_objects_are_freed_although_they_are_in_a_cycle() -> None:
    class Own(furwock.Barrier):
        """With a dictionary."""

    barrier = Own(1, lambda: None)
    barrier.me = barrier  # type: ignore[attr-defined]
    lock = furwock.Mutex(on_death=lambda grant: lock.release())
    condition = furwock.Condition(lock)
    gone = [weakref.ref(barrier), weakref.ref(lock), weakref.ref(condition)]
    del barrier, lock, condition
    gc.collect()
    assert [ref() for ref in gone] == [None, None, None]


def test_threads_use_all_at_once() -> None:
    errors: list[BaseException] = []

    def body() -> None:
        try:
            for _ in range(40):
                for use in ALL:
                    use()
        except BaseException as error:  # pylint: disable=broad-except
            errors.append(error)

    threads = [threading.Thread(target=body) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
        assert not thread.is_alive()
    assert not errors
