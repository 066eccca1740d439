# SPDX-License-Identifier: MIT
"""The goals under oversubscription, from lockmix.  More operations per second is better."""

from . import lockmix
from .compare import OURS, PTHREAD
from .outcome import UNKNOWN, Goal, at_least, at_most, interval, worst

PEAK_LEAST = 0.9                # of the lock's own best, with as many antagonists
PTHREAD_LEAST = 0.95
RIVAL_LEAST = 1.0               # of the best rival
EQUAL_LEAST = 0.95              # of the fixed-time spin's rate: then their CPU time is compared
CPU_MOST = 1.0                  # of the fixed-time spin's, per acquisition

WHERE = "oversubscribed 4 and 16 times beside antagonists"


def _name(words, assist):
    return words + (", assist on" if assist else "")


def _states(results):
    """Whether the assist was on, of what was measured: the goals hold with it and without."""
    one = lockmix.found(results)
    return sorted({point.assist == lockmix.ON for point in one.points()}) if one else [False]


def _evaluate(results, want, evaluated, bound):
    """A goal about every crowded point; evaluated(point): the ratio, and of what."""
    goals = []
    for assist in _states(results):
        found = [(point, *evaluated(point)) for point in lockmix.crowded(results)
                 if (point.assist == lockmix.ON) == assist]
        found = [one for one in found if one[1]]
        low = sorted((x for x in found if x[1].value < bound), key=lambda x: x[1].value)
        goals.append(Goal(
            _name(WHERE, assist), want,
            worst([at_least(ratio, bound) for _, ratio, _ in found]) if found else UNKNOWN,
            f"{len(found) - len(low)} of {len(found)} points" if found
            else "no such point measured",
            [f"{lockmix.describe(point)}: {interval(ratio)} of {base}"
             for point, ratio, base in low]))
    return goals


def own_peak(results):
    one = lockmix.found(results)

    def evaluated(point):
        best = lockmix.peak(one, point, OURS)
        return lockmix.of_peak(one, point, OURS), f"its rate with {best.threads}"

    return _evaluate(results, f"at least {PEAK_LEAST} of its own peak", evaluated, PEAK_LEAST)


def to_pthread(results):
    one = lockmix.found(results)
    return _evaluate(results, f"never below {PTHREAD_LEAST} of {PTHREAD}",
                  lambda point: (lockmix.times(one, point, OURS, PTHREAD), PTHREAD),
                  PTHREAD_LEAST)


def to_rivals(results):
    one = lockmix.found(results)
    return _evaluate(results, "best of all rivals",
                  lambda point: lockmix.of_best_rival(one, point, OURS), RIVAL_LEAST)


def _compared(one, assist):
    """[(point, rate, CPU time)] over the fixed-time spin's."""
    found = [(point, lockmix.times(one, point, OURS, lockmix.SPIN),
              lockmix.cpu_over(one, point, OURS, lockmix.SPIN))
             for point in one.points() if (point.assist == lockmix.ON) == assist] if one else []
    return [line for line in found if line[1] and line[2]]


def _cpu_time(results, assist):
    """Wherever the rate is no lower than the fixed-time spin's; elsewhere there is no equality."""
    name = _name("CPU time per acquisition, lockmix", assist)
    want = f"at equal throughput no more than {lockmix.SPIN}'s"
    found = _compared(lockmix.found(results), assist)
    evaluated = [(point, ratio) for point, rate, ratio in found if rate.value >= EQUAL_LEAST]
    if not evaluated:
        return Goal(name, want, UNKNOWN, f"no {lockmix.SPIN} beside it")
    high = sorted((x for x in evaluated if x[1].value > CPU_MOST), key=lambda x: -x[1].value)
    got = f"{len(evaluated) - len(high)} of {len(evaluated)} points"
    if len(found) > len(evaluated):
        got += f"; {len(found) - len(evaluated)} more with less throughput than {EQUAL_LEAST} of it"
    return Goal(name, want, worst([at_most(ratio, CPU_MOST) for _, ratio in evaluated]), got,
                [f"{lockmix.describe(point)}: {interval(ratio)} of it" for point, ratio in high])


def cpu_time(results):
    return [_cpu_time(results, assist) for assist in _states(results)]


GOALS = (own_peak, to_pthread, to_rivals, cpu_time)
