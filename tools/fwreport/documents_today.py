# SPDX-License-Identifier: MIT
"""The tables of the other pages of doc/results."""

from . import (adaptive, between, compare, experiment, futexlock, goals, lifo, lifotables,
               lockmix, mix, outcome, rtlatency, rttables, sharetables, stats, summary, waketables)
from .compare import OURS, PTHREAD
from .markdown import first, table, titled
from .outcome import interval

CONDS = ("furwock", "wake-all", "nsync", "abseil", "parking_lot")
STACK_HEAD = 32
STACK_THREADS = (2, 4)
STACK_COLUMNS = (1, 2, 4, 8, 32, 256)


def _found(results, name):
    return results.experiments.get(name)


# --- 2003 --------------------------------------------------------------------------------------

def _pivot(one, heads, words, locks):
    """A row for each point: each lock's time over the C library's, and switches of ours and its."""
    if one is None:
        return []
    names = [lock for lock in locks if lock in one.locks()]
    rows = []
    for point in one.points():
        base, ours = one.baseline(point), one.cell(point, OURS)
        if base is None or ours is None:
            continue
        switches = [cell.switches() for cell in (ours, base)]
        rows.append(words(point)
                    + [interval(experiment.ratio(one.cell(point, lock), base)) for lock in names]
                    + [", ".join("-" if s is None else f"{s.value:.2f}" for s in switches)])
    if not rows:
        return []
    mean = ["all, geometric mean"] + [""] * (len(heads) - 1)
    for lock in names:
        pairs = [(one.cell(point, lock), one.baseline(point)) for point in one.points()]
        mean.append(interval(experiment.overall(pairs)) if all(a and b for a, b in pairs) else "-")
    rows.append(mean + [""])
    return table(heads + names + [f"switches of a {one.kind.piece}: furwock, glibc"], rows,
                 texts=range(len(heads) + len(names) + 1))


def broadcast(results):
    return _pivot(_found(results, "condperf"), ["waiters", "us held", "woken by"],
                  lambda point: waketables.point_words("condperf", point), CONDS)


def pingpong(results):
    return _pivot(_found(results, "pingpong"), ["games"], lambda point: [point.games], CONDS)


# --- 2010 --------------------------------------------------------------------------------------

def harts_run(results):
    one = futexlock.found(results)
    period, duty, threads = futexlock.HART
    point = next((p for p in one.points() if (p.period, p.duty, p.threads) ==
                  (period, duty, threads) and p.assist != "on"), None) if one else None
    if point is None:
        return []
    rows = []
    for cell in one.at(point):
        calls = [futexlock.calls(one, point, cell.lock, side) for side in ("lock", "unlock")]
        rate = futexlock.speed(one, point, cell.lock)
        rows.append([cell.lock, f"{rate.value / 1000:.0f}",
                     interval(futexlock.times(one, point, cell.lock, futexlock.NORMAL)),
                     interval(futexlock.times(one, point, cell.lock, PTHREAD)),
                     *("-" if c is None else f"{c.value * 100:.2f} %" for c in calls)])
    then = [["2010: FUTEX_LOCK", "606", "1.00", "-", "35.73 %", "41.74 %"],
            ["2010: FUTEX_LOCK_ADAPTIVE", "749", "1.24", "-", "72.26 %", "72.27 %"]]
    return table(["", "Kiter/s", "of the one that sleeps", f"of {PTHREAD}", "lock", "unlock"],
                 then + rows, texts=(0, 2, 3))


def duty_cycles(results):
    """Iterations per second by threads, a table for each duty cycle."""
    one = futexlock.found(results)
    if not one:
        return []
    tables = []
    for key in futexlock.series(one):
        at = futexlock.points(one, *key)
        rows = [[lock] + [_thousand(futexlock.speed(one, point, lock)) for point in at]
                for lock in futexlock.locks(one, *key)]
        tables.append((futexlock.title(*key) + ", thousand iterations a second",
                       ["threads"] + [str(point.threads) for point in at], rows))
    return titled(tables)


def _thousand(estimate):
    return "-" if estimate is None else f"{estimate.value / 1000:.0f}"


# --- 2014 --------------------------------------------------------------------------------------

def _verbatim(tables):
    """Wide tables stay as the terminal shows them."""
    from tabulate import tabulate
    lines = []
    for title, heads, rows in tables:
        lines += ([""] if lines else []) + [title[0].upper() + title[1:] + ":", ""]
        text = tabulate(rows, heads, disable_numparse=True,
                        colalign=["left"] + ["right"] * (len(heads) - 1))
        lines += ["    " + line.rstrip() for line in text.splitlines()]
    return lines


def _of_tasks(make):
    def made_of(results):
        one = rtlatency.found(results)
        return _verbatim(make(one)) if one else []
    return made_of


def rt_pairs(results):
    one = rtlatency.found(results)
    return titled(rttables.pairs(one), texts=(0, 1, 2, 3, 4)) if one else []


# --- 2015 --------------------------------------------------------------------------------------

def stack_claims(results):
    """The paper's two ratios, of each way to protect the head."""
    one = lifo.found(results)
    points = {point.threads: point for point in lifo.points(one, STACK_HEAD)} if one else {}
    points = [points[n] for n in STACK_THREADS if n in points]
    if not points:
        return []
    rows = [["the paper's futex lock, 2015", "1.6"] + [""] * (len(points) - 1) + ["1.4"]
            + [""] * (len(points) - 1)]
    for lock in lifo.locks(one, STACK_HEAD, False):
        rows.append([lock] + [interval(lifo.times(one, point, lock, base))
                              for base in (lifo.NATIVE, lifo.MUTEX) for point in points])
    heads = [f"of {base}, {point.threads} threads" for base in (lifo.NATIVE, lifo.MUTEX)
             for point in points]
    return table([f"head of {STACK_HEAD} bytes"] + heads, rows, texts=range(len(heads) + 1))


def stack(results):
    one = lifo.found(results)
    if not one:
        return []
    points = [point for point in lifo.points(one, STACK_HEAD) if point.threads in STACK_COLUMNS]
    rows = [[lock] + [lifotables.millions(lifo.speed(one, point, lock)) for point in points]
            for lock in lifo.locks(one, STACK_HEAD, False)]
    return table(["threads"] + [str(point.threads) for point in points], rows)


def atomic_sizes(results):
    """Alone: of libatomic's time; two threads on one object: times its throughput."""
    one = mix.found(results)
    if not one:
        return []
    rows = []
    for size in sorted({point.size for point in one.points()}):
        row = [size]
        for where, threads, figure in ((mix.ALONE, 1, mix.time), ("same", 2, mix.times)):
            for name in mix.OPERATIONS:
                at = [p for p in mix.points(one, size=size, where=where, mix=name)
                      if mix.plain(p) and p.threads == threads]
                row.append(interval(figure(one, at[0])) if at else "-")
        if set(row[1:]) != {"-"}:
            rows.append(row)
    return table(["bytes"] + [f"alone: {mix.OPERATIONS[0]}", *mix.OPERATIONS[1:],
                              f"2 threads: {mix.OPERATIONS[0]}", *mix.OPERATIONS[1:]], rows,
                 texts=range(1, 9))


# --- Today -------------------------------------------------------------------------------------

def uncontended(results):
    if not results.uncontended:
        return []
    return table(["lock", "ns", "of pthread"], summary.uncontended_table(results), texts=(0, 1, 2))


def objects(results):
    return titled(sharetables.objects(results), texts=(0, 1, 2))


def _beside_the_c_library(results, name):
    """[(cell, words of its point, its time, that over the C library's)] of all others."""
    one, found = _found(results, name), []
    for point in one.points() if one else []:
        base = one.baseline(point)
        found += [(cell, waketables.point_words(name, point),
                   waketables.time(cell.median().value), experiment.ratio(cell, base))
                  for cell in one.at(point) if cell is not base]
    return found


def latency(results):
    rows = [[*words, cell.lock, time, interval(ratio)]
            for cell, words, time, ratio in _beside_the_c_library(results, "latency")
            if cell.family == "furwock"]
    return table(["object", "test", "", "a turn", "of the C library's"], rows, texts=(0, 1, 2, 4))


def more_tasks(results):
    return titled([(title, heads, rows) for title, heads, rows in adaptive.tables(results)
                   if "share" in title], texts=range(1, 12))


def mixes(results):
    one = lockmix.found(results)
    if not one:
        return []
    names = [lock for lock in one.locks() if lock != PTHREAD]
    rows = [[lockmix.describe(point)]
            + [interval(lockmix.times(one, point, lock, PTHREAD)) for lock in names]
            for points in lockmix.groups(one).values() for point in points
            if one.cell(point, OURS) and one.cell(point, PTHREAD)]
    return table(["operations per second, of pthread's"] + names, rows,
                 texts=range(len(names) + 1))


# --- Processes, the drop-in --------------------------------------------------------------------

def processes(results):
    heads, rows = between.grid_rows(results)
    return table(heads, rows, texts=range(1, len(heads)))


def drop_in(results):
    rows = [[*words, time, interval(ratio, 3)]
            for _, words, time, ratio in _beside_the_c_library(results, "dropin") if ratio]
    return table(["case", "threads", "a call", "of glibc's time"], rows, texts=(0, 3))


# --- Goals and losses --------------------------------------------------------------------------

def outcomes(results):
    """Every goal of which the results say something."""
    rows = [[goal.name, goal.want, goal.got,
             f"**{goal.state}**" if goal.state == outcome.MISSED else goal.state]
            for goal in goals.all_goals(results) if goal.state != outcome.UNKNOWN]
    return table(["what", "goal", "found", ""], rows, texts=(0, 1, 2, 3))


def short(results):
    """What falls short of each goal, worst first."""
    lines = []
    for goal in goals.all_goals(results):
        if goal.short and goal.state != outcome.UNKNOWN:
            lines += ([""] if lines else []) + [f"*{goal.name}* ({goal.want}): {goal.state}", ""]
            lines += [f"- {line}" for line in first(goal.short, summary.SHORT_SHOWN)]
    return lines


def hot_lock(results):
    """One lock, nothing inside or outside: thousand calls a second."""
    spots = [spot for spot in results.spots("grid", "threads")
             if spot.locks == 1 and spot.lht == 0 and spot.nlht == 0]
    names = [lock for lock in results.locks("grid", "threads")
             if any(results.cell(spot, lock) for spot in spots)]
    rows = []
    for spot in spots:
        rates = [cell and stats.median(cell.values("throughput"))
                 for cell in (results.cell(spot, lock) for lock in names)]
        rows.append([spot.tasks] + list(map(_thousand, rates)))
    return table(["threads"] + names, rows, texts=())


def today_cells(results):
    rows = [[v.spot.tasks, compare.configuration(v.spot), v.spot.locks, v.rival or "-",
             interval(v.to_rival) + " **<**" * bool(v.to_rival
                                                 and v.to_rival.value < goals.CELL_LEAST),
             interval(v.to_pthread)] for v in compare.all_versus(results, "grid", "threads")]
    return table(["tasks", "(nlht,lht)", "locks", "best rival", "of best rival", "of pthread"],
                 rows, texts=(1, 3, 4, 5))


TABLES = {
    "2003-broadcast": broadcast, "2003-pingpong": pingpong,
    "2010-run": harts_run, "2010-duty-cycles": duty_cycles,
    "2014-pairs": rt_pairs, "2014-table-1": _of_tasks(rttables.table1),
    "2014-figure-1": _of_tasks(rttables.figure1),
    "2014-needless-calls": _of_tasks(rttables.needless_calls),
    "2015-claims": stack_claims, "2015-stack": stack, "2015-sizes": atomic_sizes,
    "uncontended": uncontended, "objects": objects, "latency": latency,
    "more-tasks-than-cpus": more_tasks, "lockmix": mixes, "grid": today_cells,
    "hot-lock": hot_lock, "processes": processes, "drop-in": drop_in,
    "goals": outcomes, "short": short}
