# SPDX-License-Identifier: MIT
"""The tables of doc/results/2002.md: section 4.1 in the paper's form, today's figures beside."""

import re

from . import aims, between, compare, goals, made, paper, sharing, stats, summary
from .compare import FAIR, OURS, PTHREAD
from .markdown import first, percent_above, percent_of, span, table, thousands
from .outcome import interval

EXPERIMENT = "tables"
FIGURE_LOCKS = (*paper.NINE, OURS, FAIR, PTHREAD)
FIGURE_6 = (5.0, 5.0)           # (nlht, lht) of the published picture's table
WORST_SHOWN = 6                 # of the cells that fall short of it


def _spots(results, kind="threads"):
    return [spot for spot in results.spots(EXPERIMENT, kind) if paper.covers(spot)]


# --- Which machine, when, how long -------------------------------------------------------------

def machine(results):
    """Rows for the table at the head of a page."""
    facts = made.facts([one for _, one in results.made])
    days = sorted({str(one["date"])[:10] for one in [results.machine] if one.get("date")})
    where = re.sub(r"(Linux \d+\.\d+)[^\s,]*", r"\1", summary.machine_lines(results)[0])
    rows = [["this machine", where.replace(": ", " of ", 1)],
            ["measured", ", ".join(days + [f"commit {facts['commit']}" if facts.get("commit")
                                           else "commit unknown"])]]
    if facts.get("load before"):    # of the first step; the others' is that of those before them
        facts["load before"] = facts["load before"].split(" to ")[0]
    state = [f"{name} {facts[name]}" for name in ("governor", "SMT", "load before")
             if facts.get(name)]
    if state:
        rows.append(["state", ", ".join(state)])
    versions = [f"{name} {value}" for name, value in facts.items()
                if name not in ("commit", "governor", "SMT", "load before")]
    if versions:
        rows.append(["beside", ", ".join(versions)])
    return table(["", ""], rows, texts=(0, 1))


def lengths(results, experiment=EXPERIMENT):
    """How long and how often, for each number of tasks."""
    rows = []
    for kind in results.kinds(experiment):
        by_tasks = {}
        for spot in results.spots(experiment, kind):
            for cell in results.at(spot):
                by_tasks.setdefault(spot.tasks, []).append(cell)
        for tasks, cells in sorted(by_tasks.items()):
            runs = [len(cell.runs) for cell in cells]
            seconds = [run["seconds"] for cell in cells for run in cell.runs if run.get("seconds")]
            wide = sum(not cell.narrow for cell in cells)
            rows.append([kind, tasks, len(cells), _range(runs), _lengths(seconds), wide])
    return table(["", "tasks", "cells", "runs of each", "seconds of a run",
                  "cells whose interval is wider than ±5 %"], rows)


def _lengths(seconds):
    """As they were asked for; what is measured differs by a little."""
    middle = stats.median(seconds)
    if middle is None or max(seconds) <= 1.2 * min(seconds):
        return summary.number(middle and middle.value)
    return " to ".join(summary.number(round(one * 20) / 20)
                       for one in (min(seconds), max(seconds)))


def _range(values):
    return f"{min(values)}" if min(values) == max(values) else f"{min(values)} to {max(values)}"


# --- Efficiency --------------------------------------------------------------------------------

def efficiency(results):
    names = {"idle": (1, 1, 0), "busy": (1, 1, 10), "two": (2, 2, 0)}
    spots = {}
    for spot in results.spots("efficiency", "threads"):
        for name, point in names.items():
            if (spot.tasks, spot.locks, spot.nlht + spot.lht) == point:
                spots[name] = spot
    if len(spots) < len(names):
        return []
    rows = []
    for lock in results.locks("efficiency", "threads"):
        if lock == "none":
            continue
        group = (paper.BASE if lock == paper.BASE else
                 paper.USER_LEVEL if lock in paper.NINE else None)
        row = [lock]
        for name, point in names.items():
            spot = spots[name]
            then = paper.EFFICIENCY[point].get(group)
            row += [percent_of(compare.throughput_ratio(results.cell(spot, lock),
                                                        results.cell(spot, "none"))), span(then)]
        scale = compare.throughput_ratio(results.cell(spots["two"], lock),
                                         results.cell(spots["idle"], lock))
        rows.append(row + [interval(scale), span(paper.SCALABILITY.get(group))])
    return table(["lock", "no work, 1 task", "2002", "10 us, 1 task", "2002",
                  "no work, 2 tasks, 2 locks", "2002", "scalability", "2002"], rows)


# --- Tables 1 and 2, Figures 1 to 5 --------------------------------------------------------------

def improvement(locks, others, kind="threads"):
    """A table's maker: per cent above System V, the paper's at the right of each."""
    def made_of(results):
        rows = []
        for spot in _spots(results, kind):
            base = results.cell(spot, paper.BASE)
            if base is None or not any(results.cell(spot, lock) for lock in locks):
                continue
            row = [spot.tasks, compare.configuration(spot)]
            for lock in locks:
                then = paper.improvement(lock, spot.tasks, (spot.nlht, spot.lht))
                row += [percent_above(compare.throughput_ratio(results.cell(spot, lock), base)),
                        "-" if then is None else f"{(then - 1) * 100:+.1f}"]
            rows.append(row + [percent_above(compare.throughput_ratio(
                results.cell(spot, lock), base)) for lock in others])
        heads = ["tasks", "(nlht,lht)"]
        for lock in locks:
            heads += [lock, "2002"]
        return table(heads + list(others), rows, texts=(1,))
    return made_of


def above_sysv(results, lock=OURS):
    """In how many cells the lock is above System V, and by how much: words."""
    ratios = [compare.throughput_ratio(results.cell(spot, lock), results.cell(spot, paper.BASE))
              for spot in _spots(results)]
    ratios = [found for found in ratios if found]
    if not ratios:
        return []
    values = [(found.value - 1) * 100 for found in ratios]
    above = sum(value > 0 for value in values)
    return [f"{lock} is above `{paper.BASE}` in {above} of {len(ratios)} cells: by "
            f"{min(values):+.0f} to {max(values):+.0f} per cent."]


def figures(kind):
    def made_of(results):
        spots = _spots(results, kind)
        names = [lock for lock in FIGURE_LOCKS
                 if any(results.cell(spot, lock) for spot in spots)]
        rows = [[spot.tasks, compare.configuration(spot)]
                + [_rate(results.cell(spot, lock)) for lock in names] for spot in spots]
        return table(["tasks", "(nlht,lht)"] + names, rows, texts=(1,))
    return made_of


def _rate(cell):
    return "-" if cell is None else thousands(cell.mean("throughput"))


def rivals(results):
    """The grid again, today's locks: a row for each cell."""
    all_vs = [v for v in compare.all_versus(results, EXPERIMENT, "threads")
              if paper.covers(v.spot)]
    rows = []
    for v in all_vs:
        ours, pthread = results.cell(v.spot, OURS), results.cell(v.spot, PTHREAD)
        low = v.to_rival and v.to_rival.value < goals.CELL_LEAST
        rows.append([v.spot.tasks, compare.configuration(v.spot), _rate(ours), v.rival or "-",
                     interval(v.to_rival) + " **<**" * bool(low), interval(v.to_pthread),
                     *summary.pair(ours, pthread, "coeff", 3)])
    if not rows:
        return []
    told = [v for v in all_vs if v.to_pthread and v.to_pthread.low is not None]
    said = f"Geometric mean of all {len(all_vs)} cells: {_means(all_vs)}."
    if 0 < len(told) < len(all_vs):
        said += f" Of the {len(told)} that have intervals: {_means(told)}."
    return table(["tasks", "(nlht,lht)", "furwock, 1000/s", "best rival", "of best rival",
                  "of pthread", "coeff", "pthread's"], rows, texts=(1, 3, 4, 5)) + ["", said]


def _means(all_vs):
    best, pthread = (interval(stats.geometric(ratios)) for ratios in (
        [v.to_rival for v in all_vs], [v.to_pthread for v in all_vs]))
    return f"{best} of the best blocking rival, {pthread} of pthread"


# --- Contention and fairness -------------------------------------------------------------------

def contention(results):
    rows = []
    for tasks in paper.TASKS:
        found = {(spot.nlht, spot.lht): results.cell(spot, paper.CONTENTION_LOCK)
                 for spot in _spots(results) if spot.tasks == tasks}
        shares = [found[at].mean("contention") if found.get(at) else None
                  for at in paper.CONFIGURATIONS]
        if any(share is not None for share in shares):
            rows.append([tasks] + [word for share, then in zip(shares, paper.contention(tasks))
                                   for word in ("-" if share is None else f"{share * 100:.1f}",
                                                then)])
    heads = ["tasks"]
    for nlht, lht in paper.CONFIGURATIONS:
        heads += [f"({nlht:g},{lht:g})", "2002"]
    return table(heads, rows, texts=())


def coefficients(results):
    rows = []
    for lock in results.locks(EXPERIMENT, "threads"):
        row = [lock]
        for tasks in paper.TASKS:
            found = [stats.median(cell.values("coeff")).value for spot in _spots(results)
                     if spot.tasks == tasks for cell in [results.cell(spot, lock)]
                     if cell and cell.values("coeff")]
            row.append(summary.number(max(found, default=None), 3))
        rows.append(row + [paper.COEFFICIENTS.get(lock, "")])
    return table(["lock"] + [f"{tasks} tasks" for tasks in paper.TASKS] + ["2002"], rows,
                 texts=(0, 6))


def reacquisition(results):
    rows = []
    spot = next((s for s in _spots(results) if s.tasks == paper.REACQUIRE_TASKS
                 and (s.nlht, s.lht) == paper.REACQUIRE_CONFIGURATION), None)
    for cell in results.at(spot) if spot else []:
        then = paper.REACQUIRE.get(cell.lock, (None,) * 4)
        row = [cell.lock]
        for name, old in zip(("never", "once", "twice"), then):
            share = stats.median(cell.values("reacquire", name))
            row += ["-" if share is None else f"{share.value * 100:.2f}",
                    "-" if old is None else f"{old * 100:g}"]
        most = cell.most("reacquire", "max")
        rows.append(row + ["-" if most is None else f"{most:.0f}",
                           "-" if then[3] is None else f"{then[3]}"])
    return table(["lock", "never", "2002", "once", "2002", "twice", "2002", "most times", "2002"],
                 rows)


# --- Figure 6, Table 3 -------------------------------------------------------------------------

def _share_spots(results):
    found = [spot for spot in results.spots(sharing.EXPERIMENT, "threads")
             if (spot.nlht, spot.lht) == FIGURE_6 and spot.locks == 1]
    return sorted(found, key=lambda spot: (spot.share, spot.tasks))


def figure_6(results):
    rows, means = [], {lock: [] for lock in paper.SHARE_LOCKS}
    for spot in _share_spots(results):
        cells = [results.cell(spot, lock) for lock in (*paper.SHARE_LOCKS, "furwock-rw")]
        if not all(cells[:2]):
            continue
        for lock, cell in zip(means, cells):
            means[lock].append(cell.mean("coeff"))
        rows.append([f"{spot.share:g} %", spot.tasks, _rate(cells[0]), _rate(cells[1]),
                     interval(compare.throughput_ratio(*cells[:2])), _rate(cells[2])])
    if not rows:
        return []
    spread = [f"{sum(found) / len(found):.3f}" for found in means.values()]
    then = [f"{paper.SHARE_COEFFICIENTS[lock]:g}" for lock in means]
    return table(["reads", "tasks", "furwock of 2002", "shared ulock", "ratio", "fw_rwlock"], rows,
                 texts=(4,)) + [
        "", f"Mean coefficient of variation over these {len(rows)} cells: {spread[0]} for "
        f"furwocks, {spread[1]} for shared ulocks (2002: {then[0]} and {then[1]})."]


def figure_6_today(results):
    """Each of our kinds beside the best rival that prefers the same."""
    rows = []
    for lock in sharing.OURS:
        all_vs = [v for v in sharing.all_versus(results, lock)
                  if (v.spot.nlht, v.spot.lht) == FIGURE_6]
        if not all_vs:
            continue
        low = sorted((v for v in all_vs if v.ratio.value < aims.SHARE_LEAST),
                     key=lambda v: v.ratio.value)
        rows.append([f"{lock}, {sharing.preference(results, lock)}",
                     f"{len(all_vs) - len(low)} of {len(all_vs)}",
                     "; ".join(first([f"{v.spot.tasks} tasks, {v.spot.share:g} %: "
                                      f"{interval(v.ratio)} of {v.rival}" for v in low],
                                     WORST_SHOWN)) or "-"])
    return table(["", "cells at 0.95 or more", "the others"], rows, texts=(0, 2))


def table_3(short):
    def made_of(results):
        return table(between.DATABASE_HEADS, between.database_rows(results, short),
                     texts=(0, 1, 3, 4))
    return made_of


TABLES = {
    "machine": machine, "2002-lengths": lengths, "2002-efficiency": efficiency,
    "2002-table-1": improvement(paper.FAIR_LOCKS, (FAIR,)),
    "2002-table-2": improvement(paper.GREEDY_LOCKS, (OURS, PTHREAD)),
    "2002-table-1-processes": improvement(paper.FAIR_LOCKS, (), "processes"),
    "2002-table-2-processes": improvement(paper.GREEDY_LOCKS, (between.OURS, between.ROBUST),
                                          "processes"),
    "2002-above-sysv": above_sysv,
    "2002-figures-threads": figures("threads"), "2002-figures-processes": figures("processes"),
    "2002-rivals": rivals, "2002-contention": contention, "2002-coefficients": coefficients,
    "2002-reacquisition": reacquisition, "2002-figure-6": figure_6,
    "2002-figure-6-today": figure_6_today,
    "2002-table-3": table_3(False), "2002-table-3-short": table_3(True)}
