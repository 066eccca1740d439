# SPDX-License-Identifier: MIT
"""What the storm is about: objects, and what the processes do with them, a step at a time.

A step is a function of the object and of the number of the step.  The victim and the survivors
repeat theirs until they are killed.
"""
from __future__ import annotations

import hashlib
from dataclasses import dataclass
from threading import BrokenBarrierError
from typing import Any, Callable, Dict, List, Optional

Step = Callable[[Any, int], None]


@dataclass(frozen=True)
class Case:
    """An object and its users."""

    name: str
    make: Callable[[Any], Any]
    victim: Step
    survivors: List[Step]
    # Afterwards, with all processes gone: what is wrong with the object, if anything.
    check: Optional[Callable[[Any], Optional[str]]] = None
    standard: bool = True  # the standard module has it, too


CASES: Dict[str, Case] = {}


def case(name: str, make: Callable[[Any], Any], victim: Step, *survivors: Step,
         check: Optional[Callable[[Any], Optional[str]]] = None, standard: bool = True) -> None:
    """Adds a case; without survivors' steps they do what the victim does."""
    CASES[name] = Case(name, make, victim, list(survivors) or [victim, victim], check, standard)


def spend(rounds: int = 20) -> None:
    """A little work, so that a critical section has a length."""
    for _ in range(rounds):
        hashlib.sha256(b"furwock").digest()


def hold(obj: Any, step: int) -> None:
    with obj:
        spend()
    if step % 7 == 0:
        if obj.acquire(True, 0.01):
            obj.release()


def hold_twice(obj: Any, step: int) -> None:
    with obj, obj:
        spend()


def is_free(obj: Any) -> Optional[str]:
    if not obj.acquire(True, 30):
        return "cannot be acquired when all are dead"
    obj.release()
    return None


def has_one_unit(obj: Any) -> Optional[str]:
    problem = is_free(obj)  # units of the dead come back when somebody asks for one
    if problem is None and obj.get_value() != 1:
        problem = f"the value is {obj.get_value()}, not 1"
    return problem


def notify_and_wait(obj: Any, step: int) -> None:
    with obj:
        obj.notify()
        obj.wait(0.001)


def wait_for_notify(obj: Any, step: int) -> None:
    with obj:
        obj.wait(30)


def notify_all(obj: Any, step: int) -> None:
    with obj:
        obj.notify_all()
        spend()


def set_and_clear(obj: Any, step: int) -> None:
    obj.set()
    obj.is_set()
    obj.clear()


def set_only(obj: Any, step: int) -> None:
    obj.set()
    spend()


def event_wait(obj: Any, step: int) -> None:
    obj.wait(0.001)


def meet(obj: Any, step: int) -> None:
    try:
        obj.wait()
    except BrokenBarrierError:
        spend()


def add_one(obj: Any, step: int) -> None:
    with obj.get_lock():
        obj.value += 1


def add_to_array(obj: Any, step: int) -> None:
    with obj.get_lock():
        obj[step % len(obj)] += 1
    obj[0]  # locks for itself


def make_barrier(ctx: Any) -> Any:
    return ctx.Barrier(3)


def make_continuing_barrier(ctx: Any) -> Any:
    from furwock.multiprocessing.synchronize import Barrier
    return Barrier(3, on_death="go_on", ctx=ctx)


case("Lock", lambda ctx: ctx.Lock(), hold, check=is_free)
case("RLock", lambda ctx: ctx.RLock(), hold_twice, check=is_free)
case("Semaphore(1)", lambda ctx: ctx.Semaphore(1), hold, check=has_one_unit)
case("BoundedSemaphore(1)", lambda ctx: ctx.BoundedSemaphore(1), hold, check=has_one_unit)
case("Condition: notify and timed wait", lambda ctx: ctx.Condition(), notify_and_wait,
     check=is_free)
case("Condition: a waiter killed", lambda ctx: ctx.Condition(), wait_for_notify, wait_for_notify,
     notify_all, check=is_free)
case("Event: set and clear", lambda ctx: ctx.Event(), set_and_clear)
case("Event: wait with a time-out", lambda ctx: ctx.Event(), event_wait, set_and_clear, event_wait)
case("Event: a setter killed", lambda ctx: ctx.Event(), set_only, set_only, event_wait)
case("Barrier(3)", make_barrier, meet)
case("Barrier(3), which goes on", make_continuing_barrier, meet, standard=False)
case("Value", lambda ctx: ctx.Value("q", 0), add_one)
case("Array", lambda ctx: ctx.Array("q", 16), add_to_array)
