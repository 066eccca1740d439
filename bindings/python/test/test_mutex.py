# SPDX-License-Identifier: MIT
"""furwock.Mutex, as its users see it."""

from __future__ import annotations

import os
import signal
import threading

import pytest

import furwock


def test_a_killed_holder_is_reported() -> None:
    lock = furwock.Mutex()
    pid = os.fork()
    if pid == 0:
        lock.acquire()
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)
    with lock as grant:
        assert grant.owner_died
        assert grant.process == pid
    assert lock.deaths == 1
    assert lock.last_death[0] == pid
    with lock as grant:
        assert not grant.owner_died


def test_acquire_equals_true() -> None:
    lock = furwock.Mutex()
    grant = lock.acquire()
    assert grant == True  # noqa: E712
    assert isinstance(grant, furwock.Grant)
    lock.release()


def test_one_at_a_time() -> None:
    lock = furwock.Mutex()
    count = 0

    def add() -> None:
        nonlocal count
        for _ in range(1000):
            with lock:
                seen = count
                count = seen + 1

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count == 4000


def test_release_by_another_thread() -> None:
    lock = furwock.Mutex()
    with pytest.raises(furwock.NotHeld):
        lock.release()
