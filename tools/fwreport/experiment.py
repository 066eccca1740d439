# SPDX-License-Identifier: MIT
"""Results of the benchmarks in which locks take turns at points: condperf, pingpong, latency,
lifo, atomicmix, tdbtorture, dropin, futexlock, lockmix, rtlatency.

A point is a set of parameters.  At each point several locks ran once in every repetition; a ratio
compares two of them within each repetition.  Seconds: less is better.
"""

import math
from collections import namedtuple

from . import stats

# unit: for what the seconds of a run are; piece: into which tables divide that, and switches and
# system calls are counted for; settings: what of a point a result says once, for all its cells
Kind = namedtuple("Kind", "point unit piece settings", defaults=((),))

KINDS = {
    "condperf": Kind(namedtuple("Wakes", "waiters section_us wake locked"), "round", "waiter"),
    "pingpong": Kind(namedtuple("Games", "games"), "all games", "pass"),
    "latency": Kind(namedtuple("Test", "object test parties"), "turn", "turn"),
    "lifo": Kind(namedtuple("Stack", "head pinned threads"), "thousand elements",
                 "thousand elements"),
    "atomicmix": Kind(namedtuple("Mix", "size calls offset order mix where threads"), "call",
                      "call"),
    "tdbtorture": Kind(namedtuple("Database", "level processes hash_size loops"), "run", "run",
                       ("loops",)),
    "dropin": Kind(namedtuple("DropIn", "case threads"), "call", "call"),
    "lockmix": Kind(namedtuple("LockMix", "mode zipf antagonists duty assist threads"),
                    "operation", "thousand acquisitions"),
    "futexlock": Kind(namedtuple("Duty", "period duty threads assist"), "iteration", "iteration"),
    "rtlatency": Kind(namedtuple("RealTime", "kind cpus tasks tier run_ms"), "pair", "pair"),
}
BASELINES = ("pthread", "pthread-auto", "posix", "mutex", "libatomic", "fcntl")


class Cell:
    """One lock at one point: its runs, oldest first."""

    def __init__(self, raw, point):
        self.lock, self.family, self.point = str(raw["lock"]), str(raw["family"]), point
        self.pieces = float(raw.get("pieces") or 1)
        self.runs = [dict(run) for run in raw["runs"]]
        self.failures = [fault for fault in raw.get("failures") or [] if isinstance(fault, dict)]
        self.goal = dict(raw.get("goal") or {})         # that its benchmark gives the point
        self.tables = dict(raw.get("ns") or {})         # figures of all runs together

    def by_round(self, metric="seconds"):
        """{round: value}; runs without it are left out."""
        return {run["round"]: float(run[metric]) for run in self.runs
                if isinstance(run.get(metric), (int, float)) and math.isfinite(run[metric])}

    def median(self, metric="seconds"):
        return stats.median(list(self.by_round(metric).values()))

    def switches(self):
        """Context switches per piece, of both sorts."""
        both, other = self.by_round("vcsw"), self.by_round("ivcsw")
        return stats.median([both[r] + other[r] for r in both if r in other])


class Experiment:
    """All results of one benchmark."""

    def __init__(self, name):
        self.name, self.kind = name, KINDS[name]
        self.cells = {}
        self.files = 0

    def add(self, raw, complaint):
        """Takes a result in; complaint(text) makes the exception for a cell that is wrong."""
        if not isinstance(raw.get("cells"), list):
            raise complaint("no list of cells")
        self.files += 1
        settings = raw.get("settings") or {}
        of_all = {name: settings.get(name, 0) for name in self.kind.settings}
        for one in raw["cells"]:
            try:
                about = {**one, **of_all}
                point = self.kind.point(*(about[name] for name in self.kind.point._fields))
                cell = Cell(one, point)
                for at, run in enumerate(cell.runs):
                    run["round"] = (self.files, run.get("round", at))
            except (KeyError, TypeError, ValueError) as error:
                raise complaint(f"a cell without a proper {error}") from None
            if not cell.by_round():
                continue
            old = self.cells.setdefault((point, cell.lock), cell)
            if old is not cell:
                old.runs += cell.runs
                old.failures += cell.failures

    def points(self):
        """In the order in which they were measured, numbers ascending."""
        seen = list(dict.fromkeys(point for point, _ in self.cells))
        return sorted(seen, key=lambda point: tuple(
            (0, value) if isinstance(value, (int, float)) else (1, 0) for value in point))

    def at(self, point):
        return [cell for (where, _), cell in self.cells.items() if where == point]

    def cell(self, point, lock):
        return self.cells.get((point, lock))

    def locks(self):
        return list(dict.fromkeys(lock for _, lock in self.cells))

    def baseline(self, point):
        """The C library's own at a point."""
        return next((self.cell(point, lock) for lock in BASELINES if self.cell(point, lock)), None)

    def ours(self, point):
        """furwock's at a point."""
        return next((cell for cell in self.at(point) if cell.family == "furwock"), None)

    def best_rival(self, point):
        rivals = [cell for cell in self.at(point) if cell.family == "rival"]
        return min(rivals, key=lambda cell: cell.median().value, default=None)


def ratio(above, below, metric="seconds"):
    """The median over the repetitions that both have; None where there is none."""
    if above is None or below is None:
        return None
    top, low = above.by_round(metric), below.by_round(metric)
    return stats.median([top[r] / low[r] for r in top if low.get(r, 0) > 0])


def overall(pairs):
    """The geometric mean of time ratios over [(cell, other cell)], one for each point.

    One figure of each repetition, and the median of these: what shakes a whole repetition counts
    once.
    """
    logs = {}
    for above, below in pairs:
        top, low = above.by_round(), below.by_round()
        for r in top:
            if low.get(r, 0) > 0:
                logs.setdefault(r, []).append(math.log(top[r] / low[r]))
    whole = [sum(found) / len(found) for found in logs.values() if len(found) == len(pairs)]
    middle = stats.median(whole)
    if middle is None:
        return None
    return stats.Estimate(*(None if x is None else math.exp(x) for x in middle[:3]), len(pairs))
