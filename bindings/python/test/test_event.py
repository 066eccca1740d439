# SPDX-License-Identifier: MIT
"""furwock.Event, as a user has it."""

from __future__ import annotations

import threading

import pytest

import furwock
from victims import child, exit_code, interrupts, killed_after, wait_until


def test_it_is_set_and_cleared() -> None:
    event = furwock.Event()
    assert not event.is_set()
    assert not event.wait(0)
    assert not event.wait(timeout=0.01)
    event.set()
    event.set()
    assert event.is_set() and event.wait() and event.wait(0)
    event.clear()
    event.clear()
    assert not event.is_set() and not event.wait(-1)


def test_a_set_wakes_all_waiters_of_all_processes() -> None:
    event = furwock.Event()
    waiting = furwock.Semaphore(0)

    def waiter() -> None:
        waiting.release()
        assert event.wait()

    pids = [child(waiter) for _ in range(3)]
    threads = [threading.Thread(target=waiter) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(6):
        assert waiting.acquire(timeout=60)
    event.set()
    assert [exit_code(pid) for pid in pids] == [0, 0, 0]
    for thread in threads:
        thread.join()


def test_a_waiter_learns_of_a_set_that_was_cleared_at_once() -> None:
    event, begun = furwock.Event(), furwock.Semaphore(0)
    seen: list[bool] = []

    def waiter() -> None:
        begun.release()
        seen.append(event.wait(60))

    thread = threading.Thread(target=waiter)
    thread.start()
    begun.acquire()
    while thread.is_alive():  # the waiter may not sleep yet: again
        event.set()
        event.clear()
    assert seen == [True]


def test_what_a_killed_setter_has_set_is_set() -> None:
    event = furwock.Event()
    killed_after(event.set)
    assert event.wait(60)


def test_an_interrupted_wait_raises() -> None:
    event = furwock.Event()
    with pytest.raises(KeyboardInterrupt):
        with interrupts():
            event.wait()


def test_other_threads_run_meanwhile() -> None:
    event = furwock.Event()
    thread = threading.Thread(target=event.wait)
    thread.start()
    wait_until(thread.is_alive)
    event.set()
    thread.join(60)
    assert not thread.is_alive()


def test_a_named_event_is_one_object(tmp_path: object) -> None:
    region = furwock.Region(f"{tmp_path}/region", size=1 << 20)
    one, other = furwock.Event(region, "ready"), furwock.Event(region, "ready", create=False)
    one.set()
    assert other.is_set() and other.name == "ready"
    with pytest.raises(furwock.Error):
        furwock.Event(region, "another", create=False)
    with pytest.raises(furwock.Error):
        furwock.Semaphore(1, region=region, name="ready")


def test_a_handle_leads_to_the_same_event() -> None:
    event = furwock.Event()
    again = furwock.Event._from_handle(event.handle)
    event.set()
    assert again.is_set()
    with pytest.raises(ValueError):
        furwock.Semaphore._from_handle(event.handle)


def test_it_is_not_pickled_except_for_children() -> None:
    import pickle  # pylint: disable=import-outside-toplevel
    with pytest.raises(RuntimeError):
        pickle.dumps(furwock.Event())
