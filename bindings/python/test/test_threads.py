# SPDX-License-Identifier: MIT
"""Threads and interpreters of one process, also without a GIL."""

from __future__ import annotations

import gc
import importlib
import os
import subprocess
import sys
import threading
from typing import Any, Callable, List

import pytest
from children import Child

import furwock

THREADS = 6


def run_all(what: Callable[[int], None]) -> None:
    """In threads that begin together; an exception of any is raised here."""
    start = threading.Barrier(THREADS)
    errors: List[BaseException] = []

    def body(i: int) -> None:
        try:
            start.wait()
            what(i)
        except BaseException as error:  # pylint: disable=broad-except
            errors.append(error)

    threads = [threading.Thread(target=body, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def make_region() -> furwock.Region:
    fd = os.memfd_create("furwock-test-threads")
    try:
        return furwock.Region(fd=fd, size=1 << 20)
    finally:
        os.close(fd)


def test_make_and_drop() -> None:
    region = make_region()

    def churn(_: int) -> None:
        for i in range(300):
            locks = [furwock.Mutex(region) for _ in range(i % 7)]
            for lock in locks:
                assert lock.generation == 0
                with lock:
                    pass
                again = furwock.Mutex._from_handle(lock.handle)
                assert again.generation == 1

    run_all(churn)
    gc.collect()
    assert region.slots[0] == 0


def test_one_object_by_many_wrappers() -> None:
    region = make_region()
    lock = furwock.Mutex(region, relock="count", on_death="repeat")
    handle = lock.handle
    count = [0]

    def add(_: int) -> None:
        for _ in range(300):
            mine = furwock.Mutex._from_handle(handle)
            with mine, lock:
                assert mine._count() == 2
                count[0] += 1

    run_all(add)
    assert count[0] == THREADS * 300
    assert region.slots[0] == 1


@pytest.mark.skipif(not getattr(sys, "_is_gil_enabled", lambda: True)(),
                    reason="without a GIL, CPython 3.13's own locks may be held in the child")
def test_fork_among_threads() -> None:
    region = make_region()
    stop = threading.Event()
    kept = [furwock.Mutex(region) for _ in range(5)]

    def churn(i: int) -> None:
        if i == 0:
            try:
                for _ in range(20):
                    Child(in_child).join()
            finally:
                stop.set()
            return
        while not stop.is_set():
            with furwock.Mutex(region), furwock.RWLock(region).write:
                pass

    def in_child() -> None:
        for lock in kept:
            with lock:
                pass
        with furwock.Mutex(region):
            pass

    run_all(churn)
    assert [lock.generation for lock in kept] == [20] * 5
    gc.collect()
    region.collect()
    assert region.slots[0] == 5


def test_the_default_region_is_made_once() -> None:
    program = """if True:
        import threading, furwock
        start = threading.Barrier(8)
        keys = []
        def body():
            start.wait()
            keys.append(furwock.Mutex().region.key)
        threads = [threading.Thread(target=body) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert len(keys) == 8 and len(set(keys)) == 1, keys
        """
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)


def interpreters() -> Any:
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    pytest.skip("this Python has no subinterpreters")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="isolated ones are new in Python 3.12")
def test_isolated_interpreters() -> None:
    """Each has the module for itself; a lock is the same by its handle."""
    module = interpreters()
    lock = furwock.Mutex()
    program = f"""if True:
        import furwock
        with furwock.Mutex._from_handle({lock.handle!r}):
            pass
        with furwock.RWLock().read, furwock.Mutex():
            pass
        """
    for _ in range(3):
        interpreter = module.create()
        failed = module.run_string(interpreter, program)
        module.destroy(interpreter)
        assert failed is None
    assert lock.generation == 3
