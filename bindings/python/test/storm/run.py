# SPDX-License-Identifier: MIT
"""One run of the storm: two survivors, and as many victims, one after the other, as asked for."""
from __future__ import annotations

import os
import random
import signal
import time
import warnings
from typing import Any, Dict, List, Optional

from .objects import CASES, Case

READY = 2  # steps that each process makes before the first kill
GO_ON = 5  # steps that each survivor makes after a kill, or it hangs
ERROR_SIZE = 300


def expect_deaths() -> None:
    """The locks' warnings are no news here."""
    warnings.filterwarnings("ignore", message="the holder of a lock has died")


def work(name: str, role: int, obj: Any, steps: Any, error: Any) -> None:
    """The life of a process: role 0 is the victim's, 1 and 2 are the survivors'."""
    found = CASES[name]
    expect_deaths()
    step = found.victim if role == 0 else found.survivors[role - 1]
    try:
        while True:
            step(obj, steps[role])
            steps[role] += 1
    except BaseException as problem:  # pylint: disable=broad-except
        error.value = f"{type(problem).__name__}: {problem}".encode()[:ERROR_SIZE - 1]
        raise


class Group:
    """The processes of a run and their shared counters."""

    def __init__(self, case: Case, ctx: Any, obj: Any) -> None:
        self.case, self.ctx, self.obj = case, ctx, obj
        self.steps = ctx.RawArray("Q", 3)
        self.errors = [ctx.RawArray("c", ERROR_SIZE) for _ in range(3)]
        self.processes: Dict[int, Any] = {}

    def start(self, role: int) -> None:
        process = self.ctx.Process(target=work, args=(
            self.case.name, role, self.obj, self.steps, self.errors[role]))
        process.daemon = True
        process.start()
        self.processes[role] = process

    def kill(self, role: int) -> None:
        process = self.processes.pop(role)
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        process.close()

    def error(self) -> Optional[str]:
        for text in self.errors:
            if text.value:
                return str(text.value.decode(errors="replace"))
        return None

    def wait_for(self, roles: List[int], more: int, limit: float) -> bool:
        """Until each of these processes has made `more` steps more."""
        goals = {role: self.steps[role] + more for role in roles}
        until = time.monotonic() + limit
        while any(self.steps[role] < goal for role, goal in goals.items()):
            if self.error() is not None or time.monotonic() > until:
                return False
            time.sleep(0.001)
        return True


def run_once(name: str, ctx: Any, limit: float, rng: random.Random, kills: int = 1,
             check: bool = True) -> Dict[str, Any]:
    """Returns {"outcome": "ok", "hang", "error" or "leak", "detail": ...}."""
    case = CASES[name]
    obj = case.make(ctx)
    group = Group(case, ctx, obj)
    try:
        for role in (1, 2, 0):
            group.start(role)
        for kill in range(kills):
            if kill:
                group.start(0)
            # A start may take long on a busy machine: it is no part of what is measured.
            if not group.wait_for([0, 1, 2], READY, max(60.0, limit)):
                return {"outcome": "error" if group.error() else "hang",
                        "detail": group.error() or f"before kill {kill + 1}"}
            time.sleep(rng.uniform(0, 0.005))
            group.kill(0)
            if not group.wait_for([1, 2], GO_ON, limit):
                return {"outcome": "error" if group.error() else "hang",
                        "detail": group.error() or f"after kill {kill + 1}"}
            if name.startswith("Barrier(3)") and kills > 1 and "goes on" not in name:
                obj.reset()
    finally:
        for role in list(group.processes):
            group.kill(role)
    problem = case.check(obj) if check and case.check else None
    return {"outcome": "leak" if problem else "ok", "detail": problem or ""}
