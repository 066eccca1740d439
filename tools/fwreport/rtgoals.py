# SPDX-License-Identifier: MIT
"""The goals of the real-time locks that rtlatency can evaluate.  Less time is better.

They are those of bench/rtlatency/goals.c: for the protocols with deferred updates.
"""

import math

from . import rtlatency
from .outcome import MISSED, REACHED, UNKNOWN, Goal, at_most, interval, worst

OF_PROTECT, OF_INHERIT = 0.03, 0.8      # of a pair that meets nobody
NO_CALLS = 0.001                        # system calls of such a pair: those of the end of the count
# Contended: the paper's worst change without page faults, and with them.
WORST = {"lock_taken": (1.37, 2.35), "unlock_taken": (1.18, 1.25)}
BY_FAULTS = "PCP-DU-PF"


def _pairs(one, base):
    """[(point, protocol, ratio)] of all with deferred updates."""
    every = [(point, cell.lock, rtlatency.of(one, point, cell.lock, base))
             for point in rtlatency.points(one, rtlatency.PAIRS) for cell in one.at(point)
             if cell.lock in rtlatency.BASELINES] if one else []
    return [line for line in every if line[2]]


def _cost(one, base, most):
    name, want = "real-time lock + unlock that meet nobody", f"at most {most} of {base}"
    evaluated = _pairs(one, base)
    if not evaluated:
        return Goal(name, want, UNKNOWN, f"not measured beside {base}")
    high = sorted((x for x in evaluated if x[2].value > most), key=lambda x: -x[2].value)
    return Goal(name, want, worst([at_most(ratio, most) for _, _, ratio in evaluated]),
                f"{len(evaluated) - len(high)} of {len(evaluated)}",
                [f"{lock}, {rtlatency.title(point)}: {interval(ratio)}"
                 for point, lock, ratio in high])


def cost(results):
    one = rtlatency.found(results)
    return [_cost(one, rtlatency.PROTECT, OF_PROTECT), _cost(one, rtlatency.INHERIT, OF_INHERIT)]


def system_calls(results):
    one = rtlatency.found(results)
    name, want = "system calls of such a pair", "none"
    evaluated = [(point, cell.lock, rtlatency.calls(one, point, cell.lock))
              for point in rtlatency.points(one, rtlatency.PAIRS) for cell in one.at(point)
              if cell.lock in rtlatency.BASELINES] if one else []
    evaluated = [line for line in evaluated if line[2] is not None]
    if not evaluated:
        return [Goal(name, want, UNKNOWN, "not counted")]
    high = sorted((x for x in evaluated if x[2] > NO_CALLS), key=lambda x: -x[2])
    return [Goal(name, want, MISSED if high else REACHED,
                 f"{len(evaluated) - len(high)} of {len(evaluated)}",
                 [f"{lock}, {rtlatency.title(point)}: {count:.3f}" for point, lock, count in high])]


def _most(one, point, lock, sample):
    """The bound: the paper's own change, or where somebody is in the way its worst; or None."""
    if sample in WORST:
        return WORST[sample][lock == BY_FAULTS]
    return rtlatency.change(one, point, lock, sample, value=rtlatency.published)


def _changes(one):
    """[(point, protocol, sample, change, bound)] of the averages of Table 1."""
    for point in rtlatency.points(one, rtlatency.TASKS):
        for lock, _ in rtlatency.deferred(one, point):
            for sample in rtlatency.SAMPLES:
                now = rtlatency.change(one, point, lock, sample)
                most = _most(one, point, lock, sample)
                if now and most:
                    yield point, lock, sample, now, most


def _percent(ratio):
    return f"{100 * (ratio - 1):+.1f} %"


def table1(results):
    """To the per cent: the paper gives no more."""
    one = rtlatency.found(results)
    every = list(_changes(one)) if one else []
    goals = []
    for words, want, kinds in (
            ("free", "as much cheaper than the baseline as in the paper",
             [sample for sample in rtlatency.SAMPLES if sample not in WORST]),
            ("contended", "no dearer than the paper's worst", list(WORST))):
        evaluated = [line for line in every if line[2] in kinds]
        name = f"Table 1, averages, {words}"
        if not evaluated:
            goals.append(Goal(name, want, UNKNOWN, "no periodic tasks measured"))
            continue
        high = sorted((line for line in evaluated
                       if 100 * (line[3] - 1) > math.ceil(100 * (line[4] - 1))),
                      key=lambda line: line[4] - line[3])
        goals.append(Goal(
            name, want, MISSED if high else REACHED,
            f"{len(evaluated) - len(high)} of {len(evaluated)}",
            [f"{lock}, {rtlatency.title(point)}, {rtlatency.SAMPLES[sample]}: {_percent(now)}, "
             f"at most {_percent(most)}" for point, lock, sample, now, most in high]))
    return goals


GOALS = (cost, system_calls, table1)
