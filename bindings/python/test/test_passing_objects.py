# SPDX-License-Identifier: MIT
"""Objects that are passed to children by each start method, with what their classes add to them."""

from __future__ import annotations

import multiprocessing
import pickle
from typing import Any

import pytest

import furwock


class OwnBarrier(furwock.Barrier):
    """With an attribute of its own."""

    mark: str = ""


class OwnCondition(furwock.Condition):
    """With an attribute of its own."""

    mark: str = ""


def act() -> None:
    """An action that can be pickled."""


def use_all(event: furwock.Event, semaphore: furwock.Semaphore, permits: furwock.Permits,
            condition: OwnCondition, barrier: OwnBarrier) -> None:
    """What the child does."""
    assert condition.mark == "c" and barrier.mark == "b"
    assert barrier.parties == 2 and semaphore.bound == 3 and permits.count == 2
    with semaphore, permits:
        assert semaphore.value == 1 and permits.value == 1
    with condition:
        with condition:
            event.set()
            assert condition.wait(120)
    barrier.wait(120)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_child_has_them(method: str) -> None:
    context: Any = multiprocessing.get_context(method)
    event, semaphore, permits = furwock.Event(), furwock.Semaphore(2, 3), furwock.Permits(2)
    condition, barrier = OwnCondition(), OwnBarrier(2, act, 100)
    condition.mark, barrier.mark = "c", "b"
    child = context.Process(target=use_all, args=(event, semaphore, permits, condition, barrier))
    child.start()
    assert event.wait(120)
    with condition:
        condition.notify()
    barrier.wait(120)
    child.join(120)
    assert child.exitcode == 0
    assert semaphore.value == 2 and permits.value == 2


def test_named_ones_are_pickled_by_name(tmp_path: Any) -> None:
    region = furwock.Region(f"{tmp_path}/region", size=1 << 20)
    barrier = OwnBarrier(1, act, region=region, name="b")
    barrier.mark = "x"
    condition = furwock.Condition(region=region, name="c")
    objects = [furwock.Event(region, "e"), furwock.Semaphore(2, 3, region, "s"),
               furwock.Permits(2, region, "p"), condition, barrier]
    again = pickle.loads(pickle.dumps(objects))
    assert [type(o) for o in again] == [type(o) for o in objects]
    assert again[-1].mark == "x" and again[-1].wait() == 0
    objects[0].set()  # type: ignore[union-attr]
    assert again[0].is_set()
    with condition:
        assert again[3].lock.locked()


@pytest.mark.parametrize("anonymous", [furwock.Event, furwock.Semaphore, furwock.Condition,
                                       lambda: furwock.Permits(1), lambda: furwock.Barrier(1)])
def test_others_are_not_pickled(anonymous: Any) -> None:
    with pytest.raises(RuntimeError):
        pickle.dumps(anonymous())
