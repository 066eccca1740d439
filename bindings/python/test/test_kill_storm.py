# SPDX-License-Identifier: MIT
"""A few rounds of the kill storm over each class (--storm=N: more; kill_storm.py: all of it)."""
from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import furwock.multiprocessing  # noqa: E402
from storm import queues  # noqa: E402,F401
from storm.leaks import Footprint  # noqa: E402
from storm.objects import CASES  # noqa: E402
from storm.pools import POOLS  # noqa: E402
from storm.run import run_once  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::furwock.OwnerDiedWarning")
HANG = 120.0  # seconds without a step, on the busiest of machines


def rounds_of(request: Any) -> int:
    return int(request.config.getoption("--storm", default=0) or 2)


@pytest.mark.parametrize("name", list(CASES))
def test_survivors_go_on(name: str, request: Any) -> None:
    ctx = furwock.multiprocessing.get_context("fork")
    rng = random.Random()
    for _ in range(rounds_of(request)):
        assert run_once(name, ctx, HANG, rng) == {"outcome": "ok", "detail": ""}


@pytest.mark.parametrize("name", list(POOLS))
def test_tasks_end(name: str, request: Any) -> None:
    ctx = furwock.multiprocessing.get_context("fork")
    rng = random.Random()
    for _ in range(rounds_of(request)):
        assert POOLS[name](ctx, HANG, rng, 1) == {"outcome": "ok", "detail": ""}


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
@pytest.mark.parametrize("name", ["Lock", "Semaphore(1)", "Condition: notify and timed wait"])
def test_children_of_other_start_methods(name: str, method: str) -> None:
    ctx = furwock.multiprocessing.get_context(method)
    result = run_once(name, ctx, HANG, random.Random())
    assert result == {"outcome": "ok", "detail": ""}


@pytest.mark.parametrize("name", list(CASES))
def test_many_kills_leave_nothing_behind(name: str, request: Any) -> None:
    ctx = furwock.multiprocessing.get_context("fork")
    rng = random.Random()
    assert run_once(name, ctx, HANG, rng)["outcome"] == "ok"  # what is made at first use stays
    before = Footprint(furwock=True)
    result = run_once(name, ctx, HANG, rng, kills=3 * rounds_of(request))
    assert result == {"outcome": "ok", "detail": ""}
    assert before.lost() == ""
