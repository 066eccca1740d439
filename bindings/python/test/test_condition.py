# SPDX-License-Identifier: MIT
"""furwock.Condition, as threading.Condition is, between processes."""

from __future__ import annotations

import threading

import pytest

import furwock
from victims import Words, child, exit_code, interrupts, killed_after, wait_until


def test_one_is_notified_and_then_all() -> None:
    condition = furwock.Condition()
    waiting, woken = Words(1), furwock.Semaphore(0)

    def waiter() -> None:
        with condition:
            waiting[0] = waiting[0] + 1
            assert condition.wait(120) == True  # noqa: E712  pylint: disable=singleton-comparison
        woken.release()

    pids = [child(waiter) for _ in range(2)]
    threads = [threading.Thread(target=waiter) for _ in range(3)]
    for thread in threads:
        thread.start()
    wait_until(lambda: waiting[0] == 5)
    with condition:
        condition.notify()
    assert woken.acquire(timeout=60)
    with condition:
        condition.notify(n=2)
    assert woken.acquire(timeout=60) and woken.acquire(timeout=60)
    with condition:
        condition.notify_all()
    assert woken.acquire(timeout=60) and woken.acquire(timeout=60)
    assert [exit_code(pid) for pid in pids] == [0, 0]
    for thread in threads:
        thread.join()


def test_a_lock_that_is_held_twice_is_released_and_held_twice_again() -> None:
    condition = furwock.Condition()
    ready = Words(1)

    def other() -> None:
        with condition:
            ready[0] = 1
            condition.notify()

    with condition:
        with condition:
            pid = child(other)
            assert condition.wait_for(lambda: ready[0] == 1, timeout=60)
            assert condition.lock._count() == 2
        assert condition.lock._count() == 1
    assert not condition.lock.locked()
    assert exit_code(pid) == 0


def test_time_outs() -> None:
    condition = furwock.Condition()
    with condition:
        assert condition.wait(0) is False
        assert condition.wait(timeout=0.02) is False
        assert condition.wait(-1) is False
        assert condition.wait_for(lambda: 0, 0.02) == 0
        assert condition.wait_for(lambda: "yes", 0) == "yes"
        assert condition.lock._count() == 1


def test_misuse() -> None:
    condition = furwock.Condition()
    for call in (condition.wait, condition.notify, condition.notify_all,
                 lambda: condition.wait_for(lambda: False)):
        with pytest.raises(RuntimeError) as caught:
            call()  # type: ignore[operator]
        assert caught.type is furwock.NotHeld
    with pytest.raises(TypeError):
        furwock.Condition(threading.Lock())  # type: ignore[arg-type]


def test_a_lock_of_ones_own() -> None:
    lock = furwock.Mutex()
    one, other = furwock.Condition(lock), furwock.Condition(lock)
    assert one.lock is lock
    with lock:
        assert not one.wait(0.01)
        other.notify()
        with pytest.raises(furwock.Deadlock):
            other.acquire()
    assert one.acquire(timeout=1) and one.acquire(False) is False
    one.release()


def test_a_holder_that_is_killed_after_it_changed_the_data() -> None:
    condition = furwock.Condition()
    data, done = Words(1), []  # type: ignore[var-annotated]

    def waiter() -> None:
        with condition:
            result = condition.wait_for(lambda: data[0] == 1, timeout=60)
            done.append(result)

    def victim() -> None:
        condition.acquire()
        data[0] = 1  # and no notification any more

    thread = threading.Thread(target=waiter)
    thread.start()
    killed_after(victim)
    with condition as grant:  # unless the waiter has come first, as it may
        if grant.owner_died:
            grant.consistent()
        condition.notify_all()
    thread.join(120)
    assert done == [True]


def test_wait_returns_a_grant_after_a_death() -> None:
    condition = furwock.Condition(furwock.Mutex())
    waiting = threading.Event()
    results: list[object] = []

    def waiter() -> None:
        with condition:
            waiting.set()
            result = condition.wait(120)
            if getattr(result, "owner_died", False):
                result.consistent()  # type: ignore[attr-defined]
            results.append(result)

    thread = threading.Thread(target=waiter)
    thread.start()
    waiting.wait()
    killed_after(lambda: (condition.acquire(), condition.notify_all()))
    thread.join(120)
    assert results[0] == True and results[0].owner_died  # type: ignore[attr-defined]  # noqa: E712
    with condition as grant:
        assert not grant.owner_died


def test_an_interrupted_wait_holds_the_lock() -> None:
    condition: furwock.Condition = furwock.Condition()
    counts: list[int] = []

    def is_waiting() -> None:
        with condition:
            pass

    with pytest.raises(KeyboardInterrupt):
        with condition, interrupts(is_waiting):
            try:
                condition.wait()
            finally:
                counts.append(condition.lock._count())
    assert counts == [1] and not condition.lock.locked()


def test_a_named_condition_has_a_named_lock(tmp_path: object) -> None:
    region = furwock.Region(f"{tmp_path}/region", size=1 << 20)
    one, other = (furwock.Condition(region=region, name="c") for _ in range(2))
    with one:
        assert other.lock.locked() and not other.acquire(False) == 2
        other.notify_all()
    with pytest.raises(ValueError):
        furwock.Condition(furwock.Mutex(), region, "d")


def test_a_notification_wakes_one_waiter_and_no_other() -> None:
    condition, woken = furwock.Condition(), furwock.Semaphore(0)
    waiting = Words(1)

    def waiter() -> None:
        with condition:
            waiting[0] = waiting[0] + 1
            assert condition.wait(120) is True
            woken.release()

    pids = [child(waiter) for _ in range(4)]  # in main threads, which look for signals
    wait_until(lambda: waiting[0] == 4)
    for _ in pids:
        with condition:
            condition.notify()
        assert woken.acquire(timeout=60)
        assert woken.acquire(timeout=0.15) is False
    assert [exit_code(pid) for pid in pids] == [0] * 4
    with condition:
        condition.notify(5)
        assert condition.wait(0.01) is False
