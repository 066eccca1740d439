# SPDX-License-Identifier: MIT
"""furwock.Semaphore: a limit whose units come back, or a signal."""

from __future__ import annotations

import os
import threading

import pytest

import furwock
from victims import child, exit_code, interrupts, killed_after, wait_until


def test_acquire_and_release() -> None:
    semaphore = furwock.Semaphore(2)
    assert semaphore.value == semaphore.get_value() == 2
    assert semaphore.acquire() == True  # noqa: E712  pylint: disable=singleton-comparison
    with semaphore as grant:
        assert grant and not grant.owner_died
        assert semaphore.acquire(False) is False
        assert semaphore.acquire(block=False) is False
        assert semaphore.acquire(True, 0.01) is False
        assert semaphore.acquire(timeout=-1) is False
        assert semaphore.value == 0
    semaphore.release()
    assert semaphore.value == 2 and not semaphore.is_signal


def test_its_bound() -> None:
    semaphore = furwock.Semaphore(1, bound=2)
    semaphore.release()
    with pytest.raises(ValueError):
        semaphore.release()
    with pytest.raises(ValueError):
        semaphore.release(1 << 40)
    assert semaphore.value == 2 and semaphore.bound == 2
    for wrong in ((-1,), (1, 0), (3, 2), (1, 1 << 31)):
        with pytest.raises(ValueError):
            furwock.Semaphore(*wrong)
    with pytest.raises(ValueError):
        semaphore.release(0)


def test_units_of_a_killed_process_come_back() -> None:
    semaphore = furwock.Semaphore(3)

    def take_two() -> None:
        semaphore.acquire()
        semaphore.acquire()

    killed_after(take_two)
    assert semaphore.acquire(timeout=60)
    grants = [semaphore.acquire(timeout=60) for _ in range(2)]
    died = [grant for grant in grants if grant.owner_died]
    assert len(died) == 1 and died[0].process > 0
    died[0].consistent()
    assert semaphore.deaths == 1 and not semaphore.is_signal
    assert not semaphore.acquire(False)
    semaphore.release(3)


def test_a_waiter_gets_the_unit_of_a_process_that_is_killed() -> None:
    semaphore, held = furwock.Semaphore(1), furwock.Event()

    def holder() -> None:
        semaphore.acquire()
        held.set()
        wait_until(lambda: os.getppid() == 1)

    pid = child(holder)
    assert held.wait(60)
    got: list[object] = []
    thread = threading.Thread(target=lambda: got.append(semaphore.acquire(timeout=60)))
    thread.start()
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    thread.join()
    assert got[0] == True and got[0].owner_died  # type: ignore[attr-defined]  # noqa: E712


def test_units_belong_to_the_process_not_to_the_thread() -> None:
    semaphore = furwock.Semaphore(1)

    def body() -> None:
        thread = threading.Thread(target=semaphore.acquire)
        thread.start()
        thread.join()
        assert not semaphore.acquire(timeout=0.3)  # that thread has ended: still taken
        semaphore.release()
        assert semaphore.acquire(False)
        semaphore.release()

    body()
    assert exit_code(child(body)) == 0
    assert not semaphore.is_signal and semaphore.deaths == 0


def test_units_of_a_process_that_calls_exec_come_back() -> None:
    semaphore = furwock.Semaphore(1)

    def body() -> None:
        semaphore.acquire()
        os.execv("/bin/sleep", ["sleep", "3600"])

    pid = child(body)
    try:
        wait_until(lambda: semaphore.value == 0)
        assert semaphore.acquire(timeout=60)
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)


def test_a_release_by_another_process_makes_it_a_signal() -> None:
    semaphore = furwock.Semaphore(0)
    assert exit_code(child(semaphore.release)) == 0
    assert semaphore.acquire(timeout=60)
    killed_after(lambda: (semaphore.release(), semaphore.release(), semaphore.acquire()))
    assert semaphore.is_signal and semaphore.value == 1

    limit = furwock.Semaphore(1)
    killed_after(limit.acquire)
    assert limit.acquire(timeout=60)
    assert exit_code(child(limit.release)) == 0
    assert limit.is_signal and limit.value == 1


def test_many_processes_at_once() -> None:
    semaphore, total = furwock.Semaphore(3), furwock.Semaphore(0)

    def body() -> None:
        for _ in range(200):
            with semaphore:
                assert semaphore.value < 3
        total.release()

    pids = [child(body) for _ in range(6)]
    assert [exit_code(pid) for pid in pids] == [0] * 6
    assert semaphore.value == 3 and total.value == 6 and not semaphore.is_signal


def test_more_holders_than_rows_make_it_a_signal() -> None:
    semaphore = furwock.Semaphore(200)
    done, taken = furwock.Event(), furwock.Semaphore(0)

    def body() -> None:
        semaphore.acquire()
        taken.release()
        done.wait()
        semaphore.release()

    pids = [child(body) for _ in range(130)]
    for _ in pids:
        assert taken.acquire(timeout=120)
    assert semaphore.is_signal and semaphore.value == 70
    done.set()
    assert {exit_code(pid) for pid in pids} == {0}
    assert semaphore.value == 200


def test_a_named_semaphore(tmp_path: object) -> None:
    region = furwock.Region(f"{tmp_path}/region", size=1 << 20)
    one = furwock.Semaphore(2, 5, region, "places")
    other = furwock.Semaphore(2, 5, region, "places")
    one.acquire()
    assert other.value == 1
    with pytest.raises(furwock.Error):
        furwock.Semaphore(3, 5, region, "places")


def test_an_interrupted_wait_takes_nothing() -> None:
    semaphore = furwock.Semaphore(0)
    with pytest.raises(KeyboardInterrupt):
        with interrupts():
            semaphore.acquire()
    semaphore.release()
    assert semaphore.value == 1 and semaphore.acquire(False)
