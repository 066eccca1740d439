# SPDX-License-Identifier: MIT
"""A process that uses an object is killed at a random moment, again and again: the others go on."""

from __future__ import annotations

import threading
import warnings

import pytest

import furwock
from victims import Words, storm


@pytest.fixture(name="rounds")
def _rounds(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--storm")) or 25


def test_event(rounds: int) -> None:
    event = furwock.Event()

    def victim() -> None:
        event.set()
        event.clear()
        event.wait(0.001)

    def waiter() -> None:
        assert event.wait()
        event.clear()

    storm(victim, [waiter, event.set], rounds)


@pytest.mark.parametrize("value", [1, 2])
def test_semaphore_as_a_limit(rounds: int, value: int) -> None:
    semaphore = furwock.Semaphore(value, bound=value)

    def step() -> None:
        with semaphore:
            pass

    storm(step, [step, step, step], rounds)
    assert all(semaphore.acquire(timeout=60) for _ in range(value)) and not semaphore.is_signal


def test_semaphore_that_one_thread_takes_and_another_gives_back(rounds: int) -> None:
    semaphore = furwock.Semaphore(1)

    def step() -> None:
        thread = threading.Thread(target=semaphore.acquire)
        thread.start()
        thread.join()
        semaphore.release()

    storm(step, [step, step], rounds)
    assert not semaphore.is_signal


def test_semaphore_as_a_signal(rounds: int) -> None:
    semaphore = furwock.Semaphore(0)

    def victim() -> None:
        semaphore.release(2)
        semaphore.acquire(timeout=0.001)

    storm(victim, [lambda: semaphore.acquire(), lambda: semaphore.release()], rounds)


def test_permits(rounds: int) -> None:
    permits = furwock.Permits(2)

    def step() -> None:
        with permits:
            pass

    storm(step, [step, step, step], rounds)
    assert permits.value == 2


def test_condition(rounds: int) -> None:
    warnings.simplefilter("ignore", furwock.OwnerDiedWarning)
    condition = furwock.Condition(furwock.Mutex(on_death="consistent", relock="count"))
    turn = Words(1)

    def victim() -> None:
        with condition:
            condition.notify_all()
            with condition:
                condition.wait(0.001)

    def player(mine: int) -> None:
        with condition:
            assert condition.wait_for(lambda: turn[0] == mine)
            turn[0] = 1 - mine
            condition.notify_all()

    storm(victim, [lambda: player(0), lambda: player(1)], rounds)


def test_barrier_that_breaks(rounds: int) -> None:
    barrier = furwock.Barrier(3)

    def step() -> None:
        try:
            barrier.wait()
        except threading.BrokenBarrierError:
            if barrier.broken:
                barrier.reset()

    storm(step, [step, step], rounds, progress=0)


def test_barrier_that_goes_on(rounds: int) -> None:
    barrier = furwock.Barrier(3, on_death="go_on")
    storm(lambda: barrier.wait(), [lambda: barrier.wait(), lambda: barrier.wait()], rounds)
    assert barrier.deaths >= 1


def test_barrier_whose_action_is_killed(rounds: int) -> None:
    runs = Words(1)

    def action() -> None:
        runs[0] = runs[0] + 1

    barrier = furwock.Barrier(2, action, on_death="go_on")
    storm(lambda: barrier.wait(), [lambda: barrier.wait(), ], rounds)
    assert runs[0] > rounds
