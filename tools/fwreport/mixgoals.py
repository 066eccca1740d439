# SPDX-License-Identifier: MIT
"""The goals of the generic atomics that atomicmix can evaluate; their figures are in its result."""

from . import mix
from .compare import OURS
from .outcome import UNKNOWN, Goal, at_least, at_most, interval, worst

TIME, TIMES = "time_at_most", "times_at_least"


def _aims(one):
    """[(point, kind, bound)] of the points that have a goal, and both libraries."""
    found = []
    for point in one.points() if one else []:
        cell = one.cell(point, OURS)
        if cell and mix.time(one, point):
            found += [(point, kind, float(bound)) for kind, bound in cell.goal.items()
                      if kind in (TIME, TIMES)]
    return found


def _one(one, point, kind, bound):
    name = f"atomic object of {mix.describe(point)}"
    if kind == TIME:
        ratio = mix.time(one, point)
        return Goal(name, f"at most {bound:g} of {mix.BASE}'s time", at_most(ratio, bound),
                    interval(ratio, 3))
    ratio = mix.times(one, point)
    return Goal(name, f"at least {bound:g} times {mix.BASE}'s throughput", at_least(ratio, bound),
                interval(ratio, 1))


def _unknown(name, want, one):
    why = "not measured"
    if one:
        why = f"no {mix.BASE} beside it" if mix.BASE not in one.locks() else "no such point"
    return [Goal(name, want, UNKNOWN, why)]


def objects(results):
    """Objects that instructions cannot handle: each point for itself."""
    one = mix.found(results)
    goals = [_one(one, *aim) for aim in _aims(one) if aim[0].size != mix.PAIR]
    return goals or _unknown("atomic objects without an instruction",
                             f"less time than {mix.BASE}", one)


def pairs(results):
    """All calls on 16 bytes together."""
    one = mix.found(results)
    evaluated = [(point, mix.time(one, point), bound) for point, kind, bound in _aims(one)
              if point.size == mix.PAIR and kind == TIME]
    name, want = f"atomic objects of {mix.PAIR} bytes", f"never slower than {mix.BASE}"
    if not evaluated:
        return _unknown(name, want, one)
    slow = sorted((x for x in evaluated if x[1].value > x[2]), key=lambda x: -x[1].value)
    return [Goal(name, want, worst([at_most(ratio, bound) for _, ratio, bound in evaluated]),
                 f"{len(evaluated) - len(slow)} of {len(evaluated)} points",
                 [f"{mix.describe(point)}: {interval(ratio, 3)}" for point, ratio, _ in slow])]


GOALS = (objects, pairs)
