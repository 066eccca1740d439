# SPDX-License-Identifier: MIT
"""furwock.Permits: what threads borrow, and what a dead thread gives back."""

from __future__ import annotations

import os
import threading

import pytest

import furwock
from victims import child, interrupts, kill, killed_after, wait_until


def test_take_and_give() -> None:
    permits = furwock.Permits(3)
    assert (permits.count, permits.value, permits.held) == (3, 3, 0)
    taken = permits.take()
    assert taken is not None
    number, grant = taken
    assert 0 <= number < 3 and grant == 1 and not grant.owner_died
    with permits as other:
        assert other and permits.held == 2 and permits.value == 1
        assert permits.acquire(False)
        assert permits.acquire(False) is False and permits.acquire(timeout=0.01) is False
        assert permits.take(False) is None and permits.take(timeout=0.01) is None
        permits.release()
    permits.release()
    taken = permits.take()
    assert taken is not None
    number, grant = taken
    permits.give(number)
    assert permits.value == 3
    with pytest.raises(furwock.NotHeld):
        permits.give(number)
    with pytest.raises(furwock.NotHeld):
        permits.release()
    with pytest.raises(furwock.NotHeld):
        permits.give(-5)


def test_only_the_thread_that_took_it_gives_it_back() -> None:
    permits = furwock.Permits(1)
    errors: list[BaseException] = []

    def other() -> None:
        try:
            permits.release()
        except furwock.NotHeld as error:
            errors.append(error)

    with permits:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert len(errors) == 1


def test_the_permits_of_the_dead() -> None:
    permits = furwock.Permits(2)
    killed_after(lambda: (permits.acquire(), permits.acquire()))
    assert permits.value == 2
    first, second = permits.take(timeout=60), permits.take(timeout=60)
    assert first is not None and second is not None
    assert first[1].owner_died and second[1].owner_died
    first[1].consistent()
    permits.release()
    permits.release()
    with permits as grant:
        assert not grant.owner_died


def test_a_waiter_gets_the_permit_of_a_process_that_is_killed() -> None:
    permits, held = furwock.Permits(1), furwock.Event()

    def holder() -> None:
        permits.acquire()
        held.set()
        wait_until(lambda: os.getppid() == 1)

    pid = child(holder)
    assert held.wait(60)
    got: list[object] = []
    thread = threading.Thread(target=lambda: got.append(permits.acquire(timeout=60)))
    thread.start()
    kill(pid)
    thread.join()
    assert got[0] == 1 and got[0].owner_died  # type: ignore[attr-defined]


def test_arguments(tmp_path: object) -> None:
    for wrong in (0, -1, 70000):
        with pytest.raises(ValueError):
            furwock.Permits(wrong)
    region = furwock.Region(f"{tmp_path}/region", size=1 << 20)
    one = furwock.Permits(2, region, "licences")
    with one:
        assert furwock.Permits(2, region, "licences").value == 1
    with pytest.raises(furwock.Error):
        furwock.Permits(3, region, "licences")


def test_an_interrupted_wait_takes_nothing() -> None:
    permits = furwock.Permits(1)
    with pytest.raises(KeyboardInterrupt):
        with permits, interrupts():
            permits.acquire()
    assert permits.value == 1 and permits.held == 0
