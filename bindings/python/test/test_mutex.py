# SPDX-License-Identifier: MIT
"""furwock.Mutex, as its users see it."""

from __future__ import annotations

import _thread
import gc
import os
import signal
import sys
import threading
import time
import weakref
from typing import Any

import pytest
from children import Child, Pipe, wait_until

import furwock


def test_acquire_equals_true() -> None:
    lock = furwock.Mutex()
    grant = lock.acquire()
    assert grant == True  # noqa: E712  pylint: disable=singleton-comparison
    assert isinstance(grant, furwock.Grant) and not grant.owner_died
    assert lock.locked() and lock.owner == (os.getpid(), threading.get_native_id())
    lock.release()
    assert not lock.locked() and lock.owner is None
    with pytest.raises(TypeError):
        grant.release()


@pytest.mark.parametrize("arguments", [
    {"blocking": False}, {"block": False}, {"timeout": 0}, {"timeout": -1}, {"timeout": 0.01},
    {"blocking": True, "timeout": 0.01}])
def test_not_while_another_has_it(arguments: dict[str, Any]) -> None:
    lock = furwock.Mutex()
    results = []
    with lock:
        thread = threading.Thread(target=lambda: results.append(lock.acquire(**arguments)))
        thread.start()
        thread.join()
    assert results == [False]


def test_positional_arguments() -> None:
    lock = furwock.Mutex()
    assert lock.acquire(False)
    lock.release()
    assert lock.acquire(True, 0.5)
    lock.release()
    assert lock.acquire(True, None)
    lock.release()


def test_bad_arguments() -> None:
    lock: Any = furwock.Mutex()
    for bad in ({"timeout": "soon"}, {"wait": 1}):
        with pytest.raises(TypeError):
            lock.acquire(**bad)
    with pytest.raises(TypeError):
        lock.acquire(True, 1, 2)
    with pytest.raises(TypeError):
        lock.acquire(True, blocking=True)
    with pytest.raises(ValueError):
        lock.acquire(timeout=float("nan"))
    assert not lock.locked()
    mutex: Any = furwock.Mutex
    for arguments in ({"on_death": "ignore"}, {"on_death": 3}, {"relock": "yes"}, {"name": "x"}):
        with pytest.raises(ValueError):
            mutex(**arguments)
    for arguments in ({"misuse": int}, {"region": "/x"}, {"name": 3}, {"colour": 1}):
        with pytest.raises(TypeError):
            mutex(**arguments)
    for handle in ((), "x", (1, 2, 3, 4, 5, 6)):
        with pytest.raises((TypeError, ValueError)):
            furwock.Mutex._from_handle(handle)


@pytest.mark.parametrize("relock", ["error", "wait", "count"])
def test_one_at_a_time(relock: Any) -> None:
    lock = furwock.Mutex(relock=relock)
    count = 0

    def add() -> None:
        nonlocal count
        for _ in range(1000):
            with lock:
                seen = count
                count = seen + 1

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)
    assert count == 4000


def test_release_by_others() -> None:
    lock = furwock.Mutex()
    for error in (furwock.NotHeld, RuntimeError, ValueError, OSError):
        with pytest.raises(error):
            lock.release()
    recursive = furwock.Mutex(relock="count", misuse=AssertionError)
    with pytest.raises(AssertionError):
        recursive.release()
    with lock:
        errors = []

        def release() -> None:
            try:
                lock.release()
            except furwock.NotHeld as error:
                errors.append(error.errno)

        thread = threading.Thread(target=release)
        thread.start()
        thread.join()
        assert errors == [1]  # EPERM
        Child(release).join()
        assert lock._is_mine()


def test_relock_error() -> None:
    lock = furwock.Mutex()
    with lock:
        with pytest.raises(furwock.Deadlock):
            lock.acquire()
        assert lock.acquire(blocking=False) is False


def test_relock_wait() -> None:
    lock = furwock.Mutex(relock="wait")
    with lock:
        assert lock.acquire(timeout=0.08) is False
        assert lock.acquire(False) is False


def test_relock_count() -> None:
    lock = furwock.Mutex(relock="count")
    with lock:
        with lock:
            assert lock._count() == 2
            results = []
            thread = threading.Thread(target=lambda: results.append(lock.acquire(False)))
            thread.start()
            thread.join()
            assert results == [False]
        assert lock._is_mine() and lock._count() == 1
    assert not lock.locked() and lock._count() == 0


def test_a_count_does_not_outlive_its_thread() -> None:
    lock = furwock.Mutex(relock="count", on_death="report")

    def twice() -> None:
        lock.acquire()
        lock.acquire()

    thread = threading.Thread(target=twice)
    thread.start()
    thread.join()
    with lock as grant:
        assert grant.owner_died and lock._count() == 1
    assert not lock.locked()


def test_a_forked_child_holds_nothing() -> None:
    lock = furwock.Mutex(relock="count")

    def child() -> None:
        assert not lock._is_mine() and lock.locked()
        assert lock.acquire(blocking=False) is False

    with lock:
        with lock:
            Child(child).join()
    Child(lambda: lock.acquire() and lock.release()).join()


def test_subclasses() -> None:
    class Named(furwock.Mutex):
        """With its own arguments."""

        def __new__(cls, *, label: str) -> Named:
            self = super().__new__(cls, relock="count")
            self.label = label
            return self

        def __init__(self, *, label: str) -> None:
            assert self.label == label

    lock = Named(label="jobs")
    with lock, lock:
        assert lock.label == "jobs"
    again = Named._from_handle(lock.handle)
    assert isinstance(again, Named) and again.handle == lock.handle
    reference = weakref.ref(lock)
    lock.cycle = lock  # type: ignore[attr-defined]
    del lock
    gc.collect()
    assert reference() is None


def test_keyboard_interrupt() -> None:
    lock = furwock.Mutex()
    holding, waiting = Pipe(), Pipe()

    def holder() -> None:
        with lock:
            holding.tell()
            waiting.await_it()

    it = Child(holder)
    holding.await_it()
    main = threading.get_ident()
    for wait in (lock.acquire, lambda: lock.acquire(timeout=600), lock.__enter__):
        timer = threading.Timer(0.05, lambda: signal.pthread_kill(main, signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            wait()
        timer.join()
        assert not lock._is_mine()
    waiting.tell()
    it.join()
    with lock:
        pass


def test_a_handler_runs_while_waiting() -> None:
    lock = furwock.Mutex()
    holding, waiting = Pipe(), Pipe()

    def holder() -> None:
        with lock:
            holding.tell()
            waiting.await_it()

    it = Child(holder)
    holding.await_it()
    before = signal.signal(signal.SIGUSR1, lambda *_: waiting.tell())
    timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGUSR1))
    timer.start()
    assert lock.acquire()
    lock.release()
    signal.signal(signal.SIGUSR1, before)
    timer.join()
    it.join()


def test_other_threads_run_while_one_waits() -> None:
    lock = furwock.Mutex()
    acquired = []
    lock.acquire()
    _thread.start_new_thread(lambda: acquired.append(bool(lock.acquire(timeout=60))), ())
    time.sleep(0)
    lock.release()
    wait_until(lambda: acquired, "the thread gets it")
    assert acquired == [True]


def test_references_are_counted() -> None:
    lock = furwock.Mutex(relock="count")
    grant = lock.acquire()
    lock.release()
    before = [sys.getrefcount(o) for o in (None, True, False, grant, lock)]
    for _ in range(2000):
        with lock:
            lock.acquire()
            lock.release()
        lock.acquire(False)
        lock.release()
        lock.locked()
        lock.owner, lock.generation, lock.handle, lock.last_death, lock.deaths, repr(lock)
    after = [sys.getrefcount(o) for o in (None, True, False, grant, lock)]
    assert all(abs(a - b) < 500 for a, b in zip(after, before)), (before, after)
