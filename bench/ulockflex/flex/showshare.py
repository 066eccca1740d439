# SPDX-License-Identifier: MIT
"""Figure 6: read-write locks, over the share of the calls that are for reading."""

from flex import paper, prefer, stats
from flex.show import MARKS, base_of, duration, matrix, number, rate, rate_text, table

WAITS = (("p50", stats.median_of), ("p99", stats.median_of), ("max", stats.max_of))


def _row(store, config, lock, base):
    cell = store.find(config, lock)
    if cell is None or not cell["runs"]:
        return None
    throughput = cell["throughput"]
    half = throughput["ci95"]
    row = [lock, cell["preference"] or "-", rate(throughput["median"]),
           "-" if half is None else f"{100 * half / throughput['mean']:.1f}%",
           number(stats.ratio(cell, store.find(config, base)) if base else None, ".2f"),
           number(stats.median_of(cell, "coeff"), ".3f"),
           number(stats.median_of(cell, "contention"), ".1f", 100)]
    row += [duration(read(cell, field, name)) for field in ("read_wait_ns", "write_wait_ns")
            for name, read in WAITS]
    return row + [number(stats.median_of(cell, "syscalls"), ".2f"),
                  number(stats.median_of(cell, "fences_per_s"), ".0f"),
                  number(stats.median_of(cell, "vcsw"), ".2f"),
                  number(stats.median_of(cell, "ivcsw"), ".3f")]


LEGEND = """\
it/s: iterations per second, median of the runs.  +-: half the 95 % confidence interval of the mean.
coeff: standard deviation of the tasks' counts over their mean.  taken: lock calls that found the
lock taken.  r, w: how long lock calls for reading and for writing took, in runs of their own.  Per
iteration: system calls, context switches that were asked for (vcsw) and not (ivcsw).  fences/s:
calls of membarrier(2) per second of the run."""


def single(store, config, locks):
    """One configuration in full: a row for each lock."""
    base = base_of(store, config, locks)
    rows = [row for row in (_row(store, config, lock, base) for lock in locks) if row]
    headers = ["lock", "prefers", "it/s", "+-", f"/{base}" if base else "ratio", "coeff",
               "taken %", "r p50", "p99", "max", "w p50", "p99", "max", "syscalls",
               "fences/s", "vcsw", "ivcsw"]
    title = (f"{config}: {config.nlht_us:g} us outside the lock and {config.lht_us:g} us inside, "
             "on average")
    return "\n\n".join((title, table(rows, headers), LEGEND))


class ShareShow:
    def __init__(self, store, plan):
        self.store = store
        self.points = {}  # config without its share: [(config, locks), by share]
        for config, locks in sorted(plan.groups, key=lambda group: group[0].share):
            self.points.setdefault(config._replace(share=None), []).append((config, locks))

    def text(self):
        parts = [self.one_point(point, groups) for point, groups in self.points.items()
                 if any(self.measured(*group) for group in groups)]
        if not parts:
            return "nothing was measured"
        return "\n\n".join(parts + [self.coefficients(), self.legend()])

    def measured(self, config, locks):
        return [lock for lock in locks
                if (cell := self.store.find(config, lock)) and cell["runs"]]

    def one_point(self, point, groups):
        how = {"label": lambda config: f"{config.share:g} %", "head": "reads"}
        parts = [matrix(self.store, groups, rate_text,
                        f"{point}: throughput, iterations per second", **how)]
        ours = [lock for lock in self.locks(groups) if self.family(groups, lock) == "furwock"]
        if ours:
            title = f"{point}: over the best rival with the same preference"
            rows = [[f"{config.share:g} %"] + [self.against(config, locks, lock) for lock in ours]
                    for config, locks in groups]
            parts.append(title + "\n\n" + table(rows, ["reads"] + ours))
        return "\n\n".join(parts)

    @staticmethod
    def locks(groups):
        return list(dict.fromkeys(lock for _, locks in groups for lock in locks))

    def family(self, groups, lock):
        cells = [self.store.find(config, lock) for config, _ in groups]
        return next((cell["family"] for cell in cells if cell), None)

    def against(self, config, locks, lock):
        """The ratio to the best rival, and its name."""
        ours = self.store.find(config, lock)
        if ours is None or not ours["runs"]:
            return "-"
        rivals = [cell for name in self.measured(config, locks)
                  if (cell := self.store.find(config, name)) and prefer.rivals(
                      ours["preference"], cell["family"], cell["preference"])]
        if not rivals:
            return "-"
        best = max(rivals, key=lambda cell: cell["throughput"]["mean"])
        return f"{number(stats.ratio(ours, best), '.2f')} {best['lock']}"

    def coefficients(self):
        """Of all cells of a lock; the paper gives a mean for its two."""
        found = {}
        for groups in self.points.values():
            for config, locks in groups:
                for lock in self.measured(config, locks):
                    found.setdefault(lock, []).append(
                        stats.median_of(self.store.find(config, lock), "coeff"))
        rows = []
        for lock, values in found.items():
            values = [value for value in values if value is not None]
            said = paper.SHARE_COEFF.get(lock)
            rows.append([lock, number(sum(values) / len(values) if values else None, ".3f")
                         + (f" ({said:g})" if said is not None else ""),
                         number(max(values, default=None), ".3f")])
        return ("Fairness: coefficient of variation of the tasks' throughput (in parentheses: "
                "2002)\n\n" + table(rows, ["lock", "mean", "worst"]))

    @staticmethod
    def legend():
        return (f"{MARKS}\nFigure 6 of the paper is a picture without numbers; its text: "
                f"{paper.SHARE_SAID}.")
