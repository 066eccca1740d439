# SPDX-License-Identifier: MIT
"""furwock.Barrier, as threading.Barrier is, and with parties that die."""

from __future__ import annotations

import os
import threading
from typing import Callable

import pytest

import furwock
from furwock import _furwock
from victims import Words, child, exit_code, interrupts, kill, wait_until

Broken = threading.BrokenBarrierError


def in_threads(count: int, function: Callable[[], object]) -> list[object]:
    """The results of the function in `count` threads at once: exceptions, too."""
    results: list[object] = []

    def body() -> None:
        try:
            results.append(function())
        except Exception as error:  # pylint: disable=broad-except
            results.append(error)

    threads = [threading.Thread(target=body) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    return results


def test_each_thread_gets_another_index() -> None:
    barrier = furwock.Barrier(4)
    assert barrier.parties == 4 and barrier.n_waiting == 0 and not barrier.broken
    for _ in range(20):
        results = in_threads(4, barrier.wait)
        assert sorted(results) == [0, 1, 2, 3]  # type: ignore[type-var]
    assert barrier.n_waiting == 0 and barrier.deaths == 0


def test_one_party_does_not_wait() -> None:
    barrier = furwock.Barrier(1)
    assert [barrier.wait() for _ in range(3)] == [0, 0, 0]


def test_processes_pass_in_lockstep() -> None:
    barrier, steps = furwock.Barrier(3), Words(3)

    def party(i: int) -> Callable[[], None]:
        def body() -> None:
            for n in range(100):
                steps[i] = n
                barrier.wait()
                assert [steps[k] for k in range(3)] == [n] * 3
                barrier.wait()
        return body

    pids = [child(party(i)) for i in range(3)]
    assert [exit_code(pid) for pid in pids] == [0, 0, 0]


def test_any_thread_can_take_part() -> None:
    barrier = furwock.Barrier(2)
    results = in_threads(20, lambda: barrier.wait(100))
    assert sorted(results) == [0] * 10 + [1] * 10  # type: ignore[type-var]


def test_the_action_comes_before_the_others_go_on() -> None:
    runs = Words(1)

    def action() -> None:
        runs[0] = runs[0] + 1

    barrier = furwock.Barrier(3, action)

    second = furwock.Barrier(3)

    def step() -> None:
        for n in range(50):
            barrier.wait()
            assert runs[0] == n + 1
            second.wait()

    pids = [child(step) for _ in range(3)]
    assert [exit_code(pid) for pid in pids] == [0, 0, 0]
    assert runs[0] == 50


def test_an_action_that_fails_breaks_it() -> None:
    def action() -> None:
        raise KeyError("no")

    barrier = furwock.Barrier(3, action=action)
    results = in_threads(3, barrier.wait)
    assert sorted(type(r).__name__ for r in results) == ["BrokenBarrierError"] * 2 + ["KeyError"]
    assert barrier.broken
    with pytest.raises(Broken):
        barrier.wait()


def test_a_time_out_breaks_it() -> None:
    barrier = furwock.Barrier(3, timeout=0.05)
    results = in_threads(2, barrier.wait)
    assert [type(r) for r in results] == [Broken, Broken] and barrier.broken
    barrier.reset()
    assert not barrier.broken
    assert sorted(in_threads(3, lambda: barrier.wait(60))) == [0, 1, 2]  # type: ignore[type-var]
    with pytest.raises(Broken):
        barrier.wait(timeout=0)


def test_abort_and_reset() -> None:
    barrier = furwock.Barrier(2)
    for how in (barrier.abort, barrier.reset):
        thread = threading.Thread(
            target=lambda how=how: (wait_until(lambda: barrier.n_waiting == 1), how()))
        thread.start()
        with pytest.raises(Broken):
            barrier.wait()
        thread.join()
        barrier.reset()
        assert barrier.n_waiting == 0
        assert sorted(in_threads(2, barrier.wait)) == [0, 1]  # type: ignore[type-var]


def _party_that_is_killed(barrier: furwock.Barrier) -> int:
    """A child that passes once and does not arrive again."""
    def body() -> None:
        barrier.wait()
        wait_until(lambda: os.getppid() == 1)

    return child(body)


@pytest.mark.parametrize("while_waiting", [False, True])
def test_a_death_breaks_it(while_waiting: bool) -> None:
    barrier = furwock.Barrier(2)
    pid = _party_that_is_killed(barrier)
    barrier.wait(60)
    if while_waiting:
        threading.Thread(target=lambda: (wait_until(lambda: barrier.n_waiting == 1),
                                         kill(pid))).start()
    else:
        kill(pid)
    with pytest.raises(Broken):
        barrier.wait(60)
    assert barrier.broken and barrier.deaths == 1
    barrier.reset()
    assert sorted(in_threads(2, barrier.wait)) == [0, 1]  # type: ignore[type-var]


def test_it_goes_on_without_the_dead() -> None:
    barrier = furwock.Barrier(3, on_death="go_on")
    pids = [_party_that_is_killed(barrier) for _ in range(2)]
    barrier.wait(60)
    for pid in pids:
        kill(pid)
    assert barrier.wait(60) == 0 and barrier.wait(60) == 0
    assert barrier.deaths == 2
    pid = child(lambda: (barrier.wait(), barrier.wait()))  # in the place of a dead one
    wait_until(lambda: barrier.n_waiting == 1)
    barrier.wait(60)
    barrier.wait(60)
    assert exit_code(pid) == 0


def test_the_end_of_a_thread_is_no_death() -> None:
    barrier = furwock.Barrier(2)
    assert sorted(in_threads(2, barrier.wait)) == [0, 1]  # type: ignore[type-var]
    with pytest.raises(Broken):
        barrier.wait(0.3)
    assert barrier.deaths == 0


def test_a_process_that_ends_in_good_order_leaves() -> None:
    barrier = furwock.Barrier(2)
    pid = child(lambda: (barrier.wait(), _furwock._process_ends()))
    barrier.wait(60)
    assert exit_code(pid) == 0
    pid = child(lambda: (barrier.wait(), barrier.wait(), barrier.leave()))
    barrier.wait(60)
    barrier.wait(60)
    assert exit_code(pid) == 0
    with pytest.raises(Broken):
        barrier.wait(0.3)
    assert barrier.deaths == 0


def test_a_runner_that_is_killed_in_the_action() -> None:
    for on_death, expected in (("break", Broken), ("go_on", int)):
        main, entered = os.getpid(), furwock.Event()

        def action(main: int = main, entered: furwock.Event = entered) -> None:
            if os.getpid() != main:
                entered.set()
                wait_until(lambda: os.getppid() == 1)

        barrier = furwock.Barrier(2, action, on_death=on_death)
        results: list[object] = []

        def waiter(barrier: furwock.Barrier = barrier) -> None:
            results.extend(in_threads(1, barrier.wait))  # pylint: disable=cell-var-from-loop

        thread = threading.Thread(target=waiter)
        thread.start()
        wait_until(lambda: barrier.n_waiting == 1)  # pylint: disable=cell-var-from-loop
        pid = child(barrier.wait)
        assert entered.wait(60)
        kill(pid)
        thread.join(60)
        assert isinstance(results[0], expected)


def test_arguments() -> None:
    for wrong in (0, -1, 5000):
        with pytest.raises(ValueError):
            furwock.Barrier(wrong)
    with pytest.raises(ValueError):
        furwock.Barrier(1, on_death="maybe")
    with pytest.raises(TypeError):
        furwock.Barrier(1, 3)  # type: ignore[arg-type]
    assert furwock.Barrier(4096).parties == 4096


def test_an_interrupted_wait_has_not_arrived() -> None:
    barrier = furwock.Barrier(2)
    with pytest.raises(KeyboardInterrupt):
        with interrupts():
            barrier.wait()
    assert barrier.n_waiting == 0 and not barrier.broken
    assert sorted(in_threads(2, barrier.wait)) == [0, 1]  # type: ignore[type-var]
