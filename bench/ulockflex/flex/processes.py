# SPDX-License-Identifier: MIT
"""Locks between processes, on the paper's grid (Tables 1 and 2), ours beside those of others."""

from flex import paper, stats
from flex.plan import Config, Plan
from flex.show import JUDGED, MARKS, matrix, number, rate_text, table

PLAN = "processes"
OURS, ROBUST, BASE = "furwock-ipc", "pthread-robust", "sysv"
CELL_LEAST, MEAN_LEAST = 1.0, 1.2  # of the robust mutex: in every cell, and in the geometric mean

# Ours, those that survive their holder, and those that do not.
LOCKS = (OURS, ROBUST, "sysv-undo", "fcntl", "ofd", "flock",
         "pthread", "boost", "sem-posix", "sem-named", BASE)
TASKS = tuple(n for n in paper.TASKS if n <= 100)
PAPER_LOCKS = ("futex", "futex-fair")  # beside ours in the table against System V


def plan(locks, names, settings):
    """Rivals of one cell take turns; the cells that show most come first."""
    chosen = list(names) or locks.among(LOCKS, "processes")
    groups = [(Config("tables", "processes", tasks, 1, float(lht), float(nlht)), chosen)
              for tasks in TASKS for nlht, lht in paper.CONFIGURATIONS]
    made = Plan(PLAN, settings, groups)
    gone = [n for n in LOCKS if not names and n not in chosen]
    if gone:
        made.left_out.append("not here: " + ", ".join(gone))
    return made


class Show:
    def __init__(self, store, groups):
        self.store = store
        self.groups = sorted(groups, key=lambda group: (group[0].tasks, group[0].nlht_us))

    def ratio(self, config, lock, base):
        return stats.ratio(self.store.find(config, lock), self.store.find(config, base))

    def text(self):
        parts = [matrix(self.store, self.groups, rate_text,
                        "Throughput between processes, iterations per second")]
        if any(self.ratio(config, OURS, ROBUST) for config, _ in self.groups):
            parts.append(self.to_robust())
            parts.append(self.goals())
        if any(self.ratio(config, OURS, BASE) for config, _ in self.groups):
            parts.append(self.to_base())
        parts.append(MARKS)
        return "\n\n".join(parts)

    def to_robust(self):
        def value(_store, config, _locks, lock):
            return number(self.ratio(config, lock, ROBUST), ".2f")

        def mean(lock):
            return number(stats.geometric_mean(self.ratios(lock)), ".2f")

        return matrix(self.store, self.groups, value, f"Throughput over that of {ROBUST}",
                      ("geometric mean", mean))

    def ratios(self, lock):
        found = [self.ratio(config, lock, ROBUST) for config, _ in self.groups]
        return [r for r in found if r is not None]

    def goals(self):
        ratios = self.ratios(OURS)
        good = sum(r >= CELL_LEAST for r in ratios)
        mean = stats.geometric_mean(ratios)
        return (f"{OURS} is at least {CELL_LEAST:g} of {ROBUST} in {good} of {len(ratios)} cells; "
                f"geometric mean {mean:.2f}, wanted {MEAN_LEAST:g}.  {JUDGED}")

    def to_base(self):
        """Tables 1 and 2 have the locks of 2002; ours stands in their place."""
        rows = []
        for config, _ in self.groups:
            r = self.ratio(config, OURS, BASE)
            published = [paper.improvement(lock, config.tasks, config.nlht_us, config.lht_us)
                         for lock in PAPER_LOCKS]
            rows.append([str(config), number(None if r is None else 100 * (r - 1), "+.1f"),
                         *(number(p, "+.1f") for p in published)])
        return (f"% above {BASE}, as in Tables 1 and 2: {OURS} today, and in 2002\n\n"
                + table(rows, ["(outside,inside) us", OURS, *(f"{n} 2002" for n in PAPER_LOCKS)]))
