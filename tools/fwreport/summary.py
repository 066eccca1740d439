# SPDX-License-Identifier: MIT
"""The results as plain text: every cell, and one line per goal."""

import os

from tabulate import tabulate

from . import (adaptive, between, compare, futexlock, goals, lifo, lifotables, lockmix,
               lockmixtables, made, mix, mixtables, rtlatency, rttables, sharetables,
               sharing, stats, waited, waketables)
from .compare import FAIR, OURS, PTHREAD
from .outcome import duration

EXPERIMENTS = (("tables", "the paper's configurations"), ("grid", "today's grid"),
               ("single", "single runs"))
SHORT_SHOWN = 12


def rate(value):
    """Iterations per second, to three or four digits."""
    if value is None:
        return "-"
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.4g} {unit}"
    return f"{value:.3g}"


def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def machine_lines(results):
    machine = results.machine
    where = [(name if str(machine[key])[0].isdigit() else "") + str(machine[key])
             for key, name in (("cpu", ""), ("kernel", "Linux "), ("libc", "libc "),
                               ("compiler", "compiler ")) if machine.get(key)]
    if machine.get("virtual") and str(machine["virtual"]).lower() not in ("no", "none", "false"):
        what = machine["virtual"]
        where.append("virtual machine" if what is True else f"virtual machine ({what})")
    lines = [f"{results.cpus} CPUs: " + ", ".join(where)]
    if machine.get("assist") not in (None, "off"):
        lines[0] += f"; assist: {machine['assist']}"
    if machine.get("date"):
        lines.append(f"measured {machine['date']}")
    return lines


def cells_table(results, experiment, kind):
    rows = []
    for v in compare.all_versus(results, experiment, kind):
        ours, pthread = results.cell(v.spot, OURS), results.cell(v.spot, PTHREAD)
        mark = " <" if v.to_rival and v.to_rival.value < goals.CELL_LEAST else ""
        rows.append([v.spot.tasks, compare.configuration(v.spot), v.spot.locks,
                     rate(ours.mean("throughput")) + compare.SHORT * v.short, v.rival or "-",
                     goals.interval(v.to_rival) + mark, goals.interval(v.to_pthread),
                     *pair(ours, pthread, "coeff", 3), *pair(ours, pthread, "syscalls", 3)])
    return rows


def pair(ours, other, metric, digits):
    return (number(ours.mean(metric), digits),
            number(other.mean(metric) if other else None, digits))


CELL_HEADINGS = ["tasks", "(nlht,lht)", "locks", "iter/s", "best rival", "of best rival",
                 "of pthread", "coeff", "pthread's", "syscalls", "pthread's"]


def waits_table(results, experiment, kind):
    """Longest waits where the fair lock was measured, too."""
    rows = []
    for spot in results.spots(experiment, kind):
        cells = [results.cell(spot, lock) for lock in (OURS, FAIR, PTHREAD)]
        longest = [cell.mean("wait_ns", "max") if cell else None for cell in cells]
        if longest[0] is None or longest[1] is None:
            continue
        rows.append([spot.tasks, compare.configuration(spot), spot.locks,
                     *("-" if x is None else duration(x) for x in longest),
                     number(longest[0] / longest[1] if longest[1] else None)])
    return rows


def uncontended_table(results):
    table = results.uncontended
    return [[lock, goals.interval(table.estimate(lock), 1),
             goals.interval(table.ratio(lock, PTHREAD))] for lock in table.fastest_first()]


def goal_lines(results):
    lines = []
    for goal in goals.all_goals(results):
        lines.append(f"{goal.state.upper():>13}  {goal.name}: {goal.got}; wanted: {goal.want}")
        lines += [" " * 15 + "short: " + line for line in goal.short[:SHORT_SHOWN]]
        if len(goal.short) > SHORT_SHOWN:
            lines.append(f"{'':15}and {len(goal.short) - SHORT_SHOWN} more")
    return lines


def sources(results):
    """Which results are of other sources than those that lie here."""
    return made.of_others([one for _, one in results.made],
                          [os.path.basename(where) for where, _ in results.made])


def warnings(results):
    """What a reader must know before believing any figure."""
    lines = [f"INTEGRITY: {lock} let two tasks in at once at {compare.describe(spot)}"
             for spot, lock in results.broken()]
    lines += sources(results)
    lines += [f"{lock} failed at {compare.describe(spot)}: {what}"
              for spot, lock, what in results.failures]
    lines += waketables.failures(results)
    changed = results.otherwise_assisted()
    if changed:
        lines.append(f"{changed} runs found the assist in another state than their results say: "
                     "somebody turned it on or off")
    wide = sum(not cell.narrow for cell in results.cells.values())
    if wide:
        lines.append(f"{wide} of {len(results.cells)} throughputs were measured too briefly for a "
                     "narrow 95 % interval\n(make bench takes the time)")
    short = sum(cell.short for cell in results.cells.values())
    if short:
        lines.append(f"{short} of {len(results.cells)} throughputs count in no goal; "
                     + compare.SHORT_TEXT)
    lines += [f"note: {note}" for note in results.notes]
    lines += [f"not compared: {', '.join(locks)} ({why})" for locks, why in results.absent()]
    return lines


def text(results):
    parts = ["\n".join(machine_lines(results) + warnings(results))]
    if results.uncontended:
        parts.append("uncontended lock + unlock, 95 % intervals in brackets\n"
                     + tabulate(uncontended_table(results), ["lock", "ns", "of pthread"]))
    for experiment, name in EXPERIMENTS:
        for kind in results.kinds(experiment):
            rows = cells_table(results, experiment, kind)
            if not rows:
                continue
            parts.append(f"furwock in {name}, {kind}; ratios of throughput with 95 % intervals\n"
                         + tabulate(rows, CELL_HEADINGS, disable_numparse=True)
                         + _geometric_line(results, experiment, kind))
            rows = waits_table(results, experiment, kind)
            if rows:
                parts.append(f"longest wait in {name}, {kind}\n" + tabulate(
                    rows, ["tasks", "(nlht,lht)", "locks", OURS, FAIR, PTHREAD,
                           f"{OURS}/{FAIR}"], disable_numparse=True))
    parts += [title + "\n" + tabulate(rows, heads, disable_numparse=True)
              for title, heads, rows in adaptive.tables(results)]
    parts += sharing_text(results)
    parts += between.texts(results)
    own = {mix.NAME: mixtables.text, futexlock.NAME: futexlock.text, rtlatency.NAME: rttables.text,
           lockmix.NAME: lambda found: lockmixtables.text(found, results)}
    for found in results.experiments.values():
        if found.name != between.DATABASE:
            parts.append(own.get(found.name, experiment_text)(found))
    if lifo.found(results):
        parts.append(lifotables.text(lifo.found(results)))
    parts += [title + "\n" + tabulate(rows, heads, disable_numparse=True)
              for title, heads, rows in waited.tables(results)]
    parts.append("goals\n" + "\n".join(goal_lines(results)))
    return "\n\n".join(parts) + "\n"


def sharing_text(results):
    """What idle objects cost, and each cell of Figure 6."""
    parts = [f"uncontended: {title}, 95 % intervals in brackets\n"
             + tabulate(rows, heads, disable_numparse=True)
             for title, heads, rows in sharetables.objects(results)]
    for kind in results.kinds(sharing.EXPERIMENT):
        for lock, prefers in sharetables.locks(results, kind):
            parts.append(f"Figure 6: {lock} ({prefers}), {kind}, beside the best rival with the "
                         "same preference\n" + tabulate(
                             sharetables.cells(results, lock, kind), sharetables.CELL_HEADINGS,
                             disable_numparse=True))
    return parts


def experiment_text(found):
    """A benchmark with points: every lock at each, and the means over all."""
    return (f"{found.name}: {waketables.TITLES[found.name]}; ratios of time, less is better\n"
            + tabulate(waketables.rows(found), [head.replace(" per ", "\nper ") for head in
                                                waketables.heads(found)], disable_numparse=True)
            + "\n\ngeometric means over all points\n"
            + tabulate(waketables.mean_rows(found), waketables.MEAN_HEADS, disable_numparse=True))


def _geometric_line(results, experiment, kind):
    all_vs = compare.all_versus(results, experiment, kind)
    best = stats.geometric([v.to_rival for v in all_vs])
    pthread = stats.geometric([v.to_pthread for v in all_vs])
    return (f"\ngeometric mean: {goals.interval(best)} of the best blocking rival, "
            f"{goals.interval(pthread)} of pthread")
