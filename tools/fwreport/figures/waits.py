# SPDX-License-Identifier: MIT
"""How long a task waited for the lock: percentiles up to the longest, on a log scale."""

from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from .. import compare, look, stats
from ..outcome import duration
from . import Picture, spread_at
from .by_tasks import axes_grid, groups, heading, label_left, short_note

POINTS = (("p50", "50 %"), ("p90", "90 %"), ("p99", "99 %"), ("p999", "99.9 %"), ("max", "longest"))
TASKS_PER_CPU = 4


def task_counts(results, kind):
    """The counts to show: the nearest to 4 per CPU, and the nearest to 100."""
    have = sorted({s.tasks for s in results.spots("tables", kind) if s.locks == 1
                   and any(cell.values("wait_ns", "max") for cell in results.at(s))})
    if not have:
        return []
    few = min(have, key=lambda n: abs(n - TASKS_PER_CPU * results.cpus))
    many = min(have, key=lambda n: abs(n - 100))
    return list(dict.fromkeys((few, many)))


def _curve(axes, cell, marker):
    dots = [(at, stats.mean(cell.values("wait_ns", name)))
              for at, (name, _) in enumerate(POINTS)]
    # A median of 0 says that most calls did not wait at all; a log scale shows 1 ns.
    dots = [(at, e) for at, e in dots if e]
    if not dots:
        return None
    width, order = look.weight(cell.lock)
    tint = look.colour(cell.lock)
    ys = [max(e.value, 1.0) for _, e in dots]
    down = [y - max(e.low, y / 4) if e.low is not None and e.low < y else 0
            for y, (_, e) in zip(ys, dots)]
    up = [max(e.high - y, 0) if e.high is not None else 0 for y, (_, e) in zip(ys, dots)]
    axes.errorbar([at for at, _ in dots], ys, yerr=[down, up], color=tint, lw=width,
                  zorder=order, marker=marker, ms=3 + width / 2, elinewidth=0.8, capsize=1.8,
                  ls="--" if cell.lock.endswith(("-fair", "-spin3")) else "-")
    return ys[-1], cell.lock, tint, cell.lock in (compare.OURS, compare.PTHREAD)


def one(results, kind, tasks, group):
    name, title, locks = group
    spots = [s for s in results.spots("tables", kind) if s.tasks == tasks and s.locks == 1]
    figure, all_axes = axes_grid(len(spots))
    marks = look.markers(locks)
    for axes, spot in zip(all_axes, spots):
        axes.set_yscale("log")
        cells = [results.cell(spot, lock) for lock in locks]
        labels = [_curve(axes, cell, marks[cell.lock]) for cell in cells if cell]
        heading(axes, (spot.nlht, spot.lht))
        axes.set_xticks(range(len(POINTS)), [text for _, text in POINTS])
        axes.set_xlim(-0.2, len(POINTS) - 0.8)
        axes.yaxis.set_major_formatter(FuncFormatter(duration))
        low, high = axes.get_ylim()
        if high < 1000 * low:
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.grid(axis="x", visible=False)
        look.spread_labels(axes, [label for label in labels if label])
    label_left(all_axes, "wait for the lock")
    look.note(figure, "Share of the lock calls that waited no longer.  "
              + spread_at(results, spots, "wait_ns", "max") + short_note(results, spots))
    return Picture(f"waits-{tasks}-{name}-{kind}", figure,
                   f"Waiting time: {tasks} {kind}, one lock, {title}",
                   f"Percentiles of the time that a lock call took with {tasks} {kind}.")


def draw(results):
    return [one(results, kind, tasks, group) for kind in results.kinds("tables")
            for tasks in task_counts(results, kind) for group in groups(results, kind)]
