# SPDX-License-Identifier: MIT
"""The goals of the locks between processes."""

from . import between, compare, stats
from .between import OURS, PLAIN, ROBUST, table3
from .outcome import UNKNOWN, Goal, at_least, at_most, interval, worst

CELL_LEAST, MEAN_LEAST = 1.0, 1.2       # of the robust mutex's throughput
# object of `uncontended`: (what it is, whose, at most so much of their time)
ALONE = {"ipc-mutex": ("lock + unlock", ((ROBUST, 0.8), (PLAIN, 1.5))),
         "ipc-read": ("read lock + unlock", (("pthread-rw", 0.8),))}


def grid(results):
    name = "between processes, each cell of the paper's grid"
    want = f"at least {CELL_LEAST:g} of {ROBUST}"
    evaluated = between.all_versus(results)
    if not evaluated:
        return [Goal(name, want, UNKNOWN, f"no cells of {OURS} between processes")]
    low = sorted((v for v in evaluated if v.ratio.value < CELL_LEAST), key=lambda v: v.ratio.value)
    middle = stats.geometric([v.ratio for v in evaluated])
    return [Goal(name, want, worst([at_least(v.ratio, CELL_LEAST) for v in evaluated]),
                 f"{len(evaluated) - len(low)} of {len(evaluated)} cells",
                 [f"{compare.describe(v.spot)}: {interval(v.ratio)}" for v in low]),
            Goal("between processes, geometric mean", f"at least {MEAN_LEAST} of {ROBUST}",
                 at_least(middle, MEAN_LEAST), interval(middle))]


def alone(results):
    found = []
    for key, (what, bounds) in ALONE.items():
        table = results.objects.get(key)
        for other, most in bounds:
            name = f"uncontended {what} between processes: {OURS}"
            want = f"at most {most} of {other}, shared with processes"
            ratio = table.ratio(OURS, other) if table else None
            found.append(Goal(name, want, at_most(ratio, most), interval(ratio)) if ratio else
                         Goal(name, want, UNKNOWN, "no uncontended result"))
    return found


def database(results):
    found, goals = between.database(results), []
    for level, most in table3.MOST.items():
        point = next((p for p in found.points() if p.level == level), None) if found else None
        for lock, base, bound in ((table3.OURS, table3.BASE, most),
                                  (table3.LIKE, table3.MUTEX, table3.MUTEX_MOST)):
            name = f"tdbtorture, contention {level}, {lock}"
            want = f"time at most {bound:g} of {base}"
            ratio = point and between.time_ratio(found, point, lock, base)
            goals.append(Goal(name, want, at_most(ratio, bound), interval(ratio)) if ratio else
                         Goal(name, want, UNKNOWN, "no result of tdbtorture"))
    return goals


GOALS = (grid, alone, database)
