# SPDX-License-Identifier: MIT
"""Locks between processes: the paper's grid beside the robust mutex, and Table 3."""

import matplotlib.pyplot as plt

from .. import between, look, stats
from ..between import table3
from . import Picture, spread_of
from .engine import whisker
from .wakes import name_ratios

GROUP = 0.8                     # of the room of a level, for its bars
ROOM_ABOVE = 1.5                # of the highest bar, for names
BOLD = (between.OURS, table3.OURS)


def _grid(results):
    names = between.locks(results)[::-1]
    figure, axes = plt.subplots(figsize=(9.6, 0.36 * len(names) + 1.5))
    figure.subplots_adjust(left=0.15, right=0.97, top=0.97, bottom=0.75 / (0.36 * len(names) + 1.5))
    for at, name in enumerate(names):
        values = [v.ratio.value for v in between.all_versus(results, name)]
        axes.plot(values, [at] * len(values), "o", color=look.colour(name), alpha=0.55,
                  markersize=5)
        middle = stats.geometric([v.ratio for v in between.all_versus(results, name)])
        axes.plot([middle.value], [at], "|", color=look.ink("ink"), markersize=15,
                  markeredgewidth=2)
    axes.axvline(1, color=look.ink("ink"), linewidth=0.8)
    axes.set_xscale("log")
    name_ratios(axes.xaxis, *axes.get_xlim())
    axes.set_xlabel(f"throughput over that of {between.ROBUST} (log scale)")
    axes.set_yticks(range(len(names)), names)
    for label, name in zip(axes.get_yticklabels(), names):
        label.set_color(look.colour(name))
        label.set_fontweight("bold" if name in BOLD else "normal")
    look.note(figure, "A point: a cell of the paper's grid, 2 to 100 processes.  Bar: geometric "
                      "mean.")
    return Picture("processes", figure, "Locks between processes beside the robust mutex",
                   "Throughput of each lock in each cell over that of the robust mutex.")


def _database(results):
    found = between.database(results)
    points = between.levels(results)
    names = [lock for lock in found.locks() if any(found.cell(point, lock) for point in points)]
    figure, axes = plt.subplots(figsize=(9.6, 3.6))
    figure.subplots_adjust(left=0.075, right=0.985, top=0.97, bottom=0.2)
    width, highest = GROUP / len(names), 1.0
    for k, name in enumerate(names):
        for at, point in enumerate(points):
            over = between.time_ratio(found, point, name, table3.BASE)
            if over is None:
                continue
            x = at + (k + 0.5) * width - GROUP / 2
            axes.bar(x, over.value, width * 0.9, color=look.colour(name))
            tops = [over.high if over.high is not None else over.value]
            whisker(axes, x, over.value, over)
            then = table3.then(name, point.level)
            if then is not None:
                tops.append(then / table3.PAPER[table3.BASE][point.level])
                axes.plot([x - width * 0.45, x + width * 0.45], [tops[-1]] * 2,
                          color=look.ink("ink"), linewidth=1.6, linestyle=(0, (2, 1)))
            axes.annotate(name, (x, max(tops)), xytext=(0, 4), textcoords="offset points",
                          rotation=90, ha="center", va="bottom", fontsize=look.FONT - 1,
                          fontweight="bold" if name in BOLD else "normal")
            highest = max(highest, *tops)
    axes.set_xticks(range(len(points)), [
        f"{p.level}: {p.processes} process{'es' * (p.processes != 1)}, {p.hash_size} "
        f"chain{'s' * (p.hash_size != 1)}" for p in points])
    axes.set_ylim(0, highest * ROOM_ABOVE)
    axes.set_ylabel(f"time over {table3.BASE}'s")
    axes.grid(axis="x", visible=False)
    look.note(figure, "Less is better.  " + spread_of(found) + "  Dashes: the paper's Table 3, "
                      "2002 (ours in its futex's point).")
    return Picture("tdbtorture", figure, "A database under each kind of lock",
                   "Completion time of tdbtorture over that with fcntl, at three levels.")


def draw(results):
    pictures = []
    if between.all_versus(results):
        pictures.append(_grid(results))
    if between.database(results):
        pictures.append(_database(results))
    return pictures

