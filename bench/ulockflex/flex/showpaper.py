# SPDX-License-Identifier: MIT
"""Section 4.1 again: today's numbers, and those of the paper beside them in parentheses."""

from flex import paper, stats
from flex.plan import Config
from flex.show import matrix, number, rate_text, table


def _pair(today, published, form="+.1f"):
    return number(today, form) + (f" ({published:{form}})" if published is not None else "")


def _range(published):
    if published is None:
        return ""
    if isinstance(published, tuple):
        return f" ({published[0]:g} to {published[1]:g})"
    return f" ({published:g})"


class PaperShow:
    def __init__(self, store, plan, kind):
        self.store = store
        self.kind = kind
        self.locks = list(dict.fromkeys(
            lock for _, locks in plan.groups for lock in locks if lock != "none"))
        self.groups = plan.groups

    def cell(self, lock, tasks, nlht, lht):
        return self.store.find(Config("tables", self.kind, tasks, 1, float(lht), float(nlht)), lock)

    def text(self):
        parts = [self.efficiency(), *map(self.one_table, paper.TABLES)]
        others = [n for n in self.locks if n not in paper.NINE]
        if others:
            parts.append(self.others(others))
        parts += [self.figures(), self.contention(), self.coefficients(), self.reacquisition()]
        return "\n\n".join(parts)

    # --- The first experiment ---

    def _efficiency_cells(self, lock):
        return {name: self.store.find(Config("efficiency", self.kind, *point), lock)
                for name, point in (("idle", (1, 1, 0.0, 0.0)), ("busy", (1, 1, 5.0, 5.0)),
                                    ("two", (2, 2, 0.0, 0.0)))}

    def _efficiency_row(self, lock, none):
        cells = self._efficiency_cells(lock)
        sysv, user = lock == "sysv", lock in paper.NINE and lock != "sysv"
        row = [lock]
        for name in ("idle", "busy", "two"):
            published = (paper.EFFICIENCY_SYSV[name] if sysv else
                         paper.EFFICIENCY_USER[name] if user else None)
            r = stats.ratio(cells[name], none[name])
            row.append(number(r, ".1f", 100) + _range(published))
        published = paper.SCALABILITY_SYSV if sysv else paper.SCALABILITY_USER if user else None
        scale = stats.ratio(cells["two"], cells["idle"])
        alone = cells["idle"]["throughput"]["median"] if cells["idle"] else None
        row += [number(scale, ".2f") + _range(published),
                number(1e9 / alone if alone else None, ".1f")]
        return row

    def efficiency(self):
        none = self._efficiency_cells("none")
        rows = [self._efficiency_row(lock, none) for lock in ["none"] + self.locks
                if any(self._efficiency_cells(lock).values())]
        headers = ["lock", "no work, 1 task %", "10 us, 1 task %", "no work, 2 tasks 2 locks %",
                   "scalability", "ns/iteration"]
        title = ("Efficiency: throughput in per cent of a run without lock calls; scalability: 2 "
                 "tasks with 2 locks\nover 1 task with 1 lock.  In parentheses: the paper, 2002.")
        return title + "\n\n" + table(rows, headers)

    # --- Tables 1 and 2 ---

    def _improvement(self, lock, tasks, nlht, lht):
        cell, base = self.cell(lock, tasks, nlht, lht), self.cell("sysv", tasks, nlht, lht)
        return stats.improvement(cell, base)

    def one_table(self, entry):
        title, locks, _ = entry
        rows = [[f"{tasks} tasks ({nlht},{lht})"]
                + [_pair(self._improvement(lock, tasks, nlht, lht),
                         paper.improvement(lock, tasks, nlht, lht)) for lock in locks]
                for tasks in paper.TASKS for nlht, lht in paper.CONFIGURATIONS]
        return f"{title} (in parentheses: 2002)\n\n" + table(rows, ["(nlht,lht)"] + list(locks))

    def others(self, locks):
        groups = [(config, locks) for config, _ in self.groups if config.experiment == "tables"]

        def value(_store, config, _locks, lock):
            return number(self._improvement(lock, config.tasks, int(config.nlht_us),
                                            int(config.lht_us)), "+.1f")

        return matrix(self.store, groups, value, "The same for locks of today, % above sysv")

    # --- Figures 1 to 5 and the contention in them ---

    def figures(self):
        groups = [(config, self.locks) for config, _ in self.groups
                  if config.experiment == "tables"]
        title = ("Figures 1 to 5: throughput, iterations per second, for 2, 3, 4, 100 and 1000 "
                 "tasks\n(the paper's are pictures without numbers)")
        return matrix(self.store, groups, rate_text, title)

    def contention(self):
        rows = []
        for tasks in paper.TASKS:
            row = [f"{tasks} tasks"]
            for i, (nlht, lht) in enumerate(paper.CONFIGURATIONS):
                cell = self.cell(paper.CONTENTION_LOCK, tasks, nlht, lht)
                today = stats.median_of(cell, "contention") if cell else None
                published = (f"{paper.CONTENTION_2_TASKS[i]:g}" if tasks == 2 else
                             f"above {paper.CONTENTION_MORE_TASKS:g}")
                row.append(f"{number(today, '.1f', 100)} ({published})")
            rows.append(row)
        headers = [""] + [f"({n},{i})" for n, i in paper.CONFIGURATIONS]
        title = ("Contention: lock calls that found the lock taken, %, with "
                 f"{paper.CONTENTION_LOCK}, in a separate run")
        return title + "\n\n" + table(rows, headers)

    # --- Fairness ---

    def coefficients(self):
        said = dict(paper.COEFF)
        rows = []
        for lock in self.locks:
            row = [lock]
            for tasks in paper.TASKS:
                cells = [self.cell(lock, tasks, *c) for c in paper.CONFIGURATIONS]
                found = [stats.median_of(c, "coeff") for c in cells if c]
                row.append(number(max((f for f in found if f is not None), default=None), ".3f"))
            rows.append(row + [said.get(lock, "")])
        headers = ["lock"] + [f"{tasks} tasks" for tasks in paper.TASKS] + ["2002"]
        title = "Fairness: coefficient of variation of the tasks' throughput, worst configuration"
        return title + "\n\n" + table(rows, headers)

    def reacquisition(self):
        rows = []
        for lock in self.locks:
            cell = self.cell(lock, paper.REACQUIRE_TASKS, *paper.REACQUIRE_CONFIGURATION)
            if cell is None or not cell["runs"]:
                continue
            published = paper.REACQUIRE.get(lock, (None,) * 4)
            today = [stats.median_of(cell, "reacquire", k) for k in ("never", "once", "twice")]
            row = [lock] + [_pair(None if v is None else 100 * v, p, ".2f")
                            for v, p in zip(today, published)]
            row.append(_pair(stats.max_of(cell, "reacquire", "max"), published[3], ".0f"))
            rows.append(row)
        headers = ["lock", "never %", "once %", "twice %", "most times"]
        title = ("Reacquisition: how often a task got the lock back before another had it, "
                 f"{paper.REACQUIRE_TASKS} tasks,\nconfiguration (9,1), in % of all rows of "
                 "acquisitions by one task (in parentheses: 2002)")
        return title + "\n\n" + table(rows, headers)
