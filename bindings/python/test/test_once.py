# SPDX-License-Identifier: MIT
"""furwock.Once, as its users see it."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from children import Child, Pipe, wait_until

import furwock


def test_one_process_does_it() -> None:
    once = furwock.Once()
    region = furwock.default_region()
    count = region.data(f"count-{os.getpid()}-{id(once)}", 8).cast("q")

    def initialise(by: int) -> None:
        count[0] += by

    def child() -> None:
        once.call(initialise, 2)
        assert once.done and count[0] == 2

    children = [Child(child) for _ in range(4)]
    for it in children:
        it.join()
    assert once.call(initialise, 2) is False
    assert count[0] == 2


def test_an_exception_leaves_it_undone() -> None:
    once = furwock.Once()

    def fails() -> None:
        raise KeyError("not yet")

    for _ in range(2):
        with pytest.raises(KeyError):
            once.call(fails)
        assert not once.done
    assert once.call(int, "7") is True
    assert once.done


def test_a_process_dies_in_it() -> None:
    once = furwock.Once()

    def dies() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    it = Child(once.call, dies)
    os.waitpid(it.pid, 0)
    left = []
    assert once.call(lambda: left.append(once.is_left)) is True
    assert left == [True]


def test_from_its_own_function() -> None:
    once = furwock.Once()

    def again() -> None:
        with pytest.raises(furwock.Deadlock):
            once.call(int)

    once.call(again)
    assert once.done


def test_threads_wait_for_it() -> None:
    once = furwock.Once()
    began, go = threading.Event(), threading.Event()
    results = []

    def initialise() -> None:
        began.set()
        go.wait()

    first = threading.Thread(target=lambda: results.append(once.call(initialise)))
    first.start()
    began.wait()
    second = threading.Thread(target=lambda: results.append(once.call(initialise)))
    second.start()
    assert results == []
    go.set()
    first.join()
    second.join()
    assert sorted(results) == [False, True]


def test_the_main_thread_can_be_interrupted() -> None:
    once = furwock.Once()
    began = Pipe()

    def blocks() -> None:
        began.tell()
        Pipe().await_it()

    other = Child(once.call, blocks)
    began.await_it()

    def waits() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        began.tell()
        with pytest.raises(KeyboardInterrupt):
            once.call(int)

    it = Child(waits)
    began.await_it()

    def interrupted() -> bool:
        os.kill(it.pid, signal.SIGINT)
        return os.waitpid(it.pid, os.WNOHANG)[0] == it.pid

    wait_until(interrupted, "the wait ends")
    other.kill()
    began.close()
