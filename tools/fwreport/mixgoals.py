# SPDX-License-Identifier: MIT
"""The goals of the generic atomics that atomicmix can judge; their figures are in its result."""

from . import mix
from .compare import OURS
from .verdict import UNKNOWN, Goal, at_least, at_most, interval, worst

TIME, TIMES = "time_at_most", "times_at_least"


def _aims(one):
    """[(place, kind, bound)] of the places that have a goal, and both libraries."""
    found = []
    for place in one.places() if one else []:
        cell = one.cell(place, OURS)
        if cell and mix.time(one, place):
            found += [(place, kind, float(bound)) for kind, bound in cell.goal.items()
                      if kind in (TIME, TIMES)]
    return found


def _one(one, place, kind, bound):
    name = f"atomic object of {mix.describe(place)}"
    if kind == TIME:
        ratio = mix.time(one, place)
        return Goal(name, f"at most {bound:g} of {mix.BASE}'s time", at_most(ratio, bound),
                    interval(ratio, 3))
    ratio = mix.times(one, place)
    return Goal(name, f"at least {bound:g} times {mix.BASE}'s throughput", at_least(ratio, bound),
                interval(ratio, 1))


def _unknown(name, want, one):
    why = "not measured"
    if one:
        why = f"no {mix.BASE} beside it" if mix.BASE not in one.locks() else "no such place"
    return [Goal(name, want, UNKNOWN, why)]


def objects(results):
    """Objects that instructions cannot handle: each place for itself."""
    one = mix.found(results)
    goals = [_one(one, *aim) for aim in _aims(one) if aim[0].size != mix.PAIR]
    return goals or _unknown("atomic objects without an instruction",
                             f"less time than {mix.BASE}", one)


def pairs(results):
    """All calls on 16 bytes together."""
    one = mix.found(results)
    judged = [(place, mix.time(one, place), bound) for place, kind, bound in _aims(one)
              if place.size == mix.PAIR and kind == TIME]
    name, want = f"atomic objects of {mix.PAIR} bytes", f"never slower than {mix.BASE}"
    if not judged:
        return _unknown(name, want, one)
    slow = sorted((x for x in judged if x[1].value > x[2]), key=lambda x: -x[1].value)
    return [Goal(name, want, worst([at_most(ratio, bound) for _, ratio, bound in judged]),
                 f"{len(judged) - len(slow)} of {len(judged)} places",
                 [f"{mix.describe(place)}: {interval(ratio, 3)}" for place, ratio, _ in slow])]


JUDGES = (objects, pairs)
