# SPDX-License-Identifier: MIT
"""Curves over the number of tasks, a panel per configuration: throughput, and its fairness."""

import math

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter

from .. import ideal, look, stats
from . import Picture, engine, spread_at

NOTE = "  Configuration (non-lock-hold, lock-hold) in µs."

ASIDE = 0.16     # how far the whiskers of the locks stand apart, of the step between task counts
FEW = 3          # classics: at most this many go with the rivals, more have a picture of their own


def groups(results, kind):
    """[(short name, title, locks)]: the rivals of today, and the classics."""
    locks = results.locks("tables", kind)
    family = {lock: results.family(lock) for lock in locks}
    ours = [lock for lock in locks if family[lock] == "furwock"]
    rivals = [lock for lock in locks if family[lock] == "rival"]
    classics = [lock for lock in locks if family[lock] == "classic"]
    if len(classics) <= FEW:
        return [("all", "the locks people know", ours + rivals + classics)] if locks else []
    found = []
    if rivals:
        found.append(("rivals", "the locks of today", ours + rivals))
    keep = [lock for lock in ("furwock", "furwock-fair", "pthread") if lock in locks]
    return found + [("classics", "the locks of the papers", keep + classics)]


def panels(results, kind, metric="throughput"):
    """{configuration: spots by task count}, one lock for all tasks, where anything is above 0."""
    found = {}
    for spot in results.spots("tables", kind):
        if spot.locks == 1 and any(any(cell.values(metric)) for cell in results.at(spot)):
            found.setdefault((spot.nlht, spot.lht), []).append(spot)
    return found


def title_of(configuration):
    nlht, lht = configuration
    word = "always" if nlht == 0 else f"{lht / (nlht + lht):.0%} of the time"
    return f"({nlht:g},{lht:g})", f"lock held {word}"


def axes_grid(count, height=3.1):
    """Two panels beside each other, room at the right of each for the names."""
    columns = min(2, count)
    rows = math.ceil(count / columns)
    figure, axes = plt.subplots(rows, columns, figsize=(10.4, height * rows + 0.35),
                                squeeze=False)
    figure.subplots_adjust(left=0.076, right=0.885, top=1 - 0.34 / (height * rows),
                           bottom=0.62 / (height * rows), wspace=0.46, hspace=0.32)
    flat = list(axes.flat)
    for spare in flat[count:]:
        spare.set_visible(False)
    return figure, flat[:count]


def label_left(all_axes, text):
    """Names the scale once per row, at its left."""
    for axes in all_axes[::2]:
        axes.set_ylabel(text)


def heading(axes, configuration):
    name, about = title_of(configuration)
    axes.set_title(name)
    axes.annotate(about, (1, 1), xytext=(0, 5), xycoords="axes fraction", ha="right",
                  textcoords="offset points", fontsize=look.FONT - 1.5, color=look.ink("soft"))


def curve(axes, results, spots, lock, metric, marker, shift=0.0):
    """Draws one lock, a little aside; returns its label for the right edge, or None."""
    found = [(at + shift, cell) for at, spot in enumerate(spots)
             for cell in [results.cell(spot, lock)] if cell and cell.values(metric)]
    dots = [(at, stats.mean(cell.values(metric))) for at, cell in found]
    label = engine.curve(axes, dots, lock, marker,
                         ls="--" if lock.endswith(("-fair", "-spin3")) else "-")
    hollow = [(at, e.value) for (at, e), (_, cell) in zip(dots, found) if cell.short]
    if hollow:
        width, order = look.weight(lock)
        axes.plot(*zip(*hollow), ls="None", marker=marker, ms=3.2 + width / 2, zorder=order + 0.5,
                  mec=look.colour(lock), mfc=look.ink("ground"))
    return label


def short_note(results, spots):
    """Which figures say little."""
    tasks = sorted({spot.tasks for spot in spots for cell in results.at(spot) if cell.short})
    if not tasks:
        return ""
    many = ", ".join(map(str, tasks))
    return f"  Of {many} tasks: runs shorter than some turns of the scheduler."


def notes(results, found, metric):
    drawn = [spot for spots in found.values() for spot in spots]
    short = short_note(results, drawn)
    return spread_at(results, drawn, metric) + NOTE + short + "  Hollow." * bool(short)


def curves(axes, results, spots, locks, metric):
    """Draws all locks, side by side so that their whiskers can be told apart; the labels."""
    marks = look.markers(locks)
    labels = [curve(axes, results, spots, lock, metric, marks[lock],
                    ASIDE * (at / max(1, len(locks) - 1) - 0.5))
              for at, lock in enumerate(locks)]
    return [label for label in labels if label]


def _highest(axes):
    """Of all values drawn; a whisker may lead out of the picture, a value not."""
    return max(engine.highest(axes), default=1)


def task_axis(axes, spots):
    engine.step_axis(axes, [f"{spot.tasks:g}" for spot in spots], "tasks", 0.2)


def short_number(value, _=None):
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= limit:
            return f"{value / limit:g} {unit}"
    return f"{value:g}"


def _ideal_curve(axes, results, spots):
    ys = [ideal.rate(results, spot) for spot in spots]
    axes.plot(range(len(ys)), ys, color=look.ink("ink"), lw=1.1, ls=(0, (2, 2)), zorder=3)
    return ys[-1], "ideal", look.ink("ink"), False


def throughput(results, kind, group):
    name, title, locks = group
    found = panels(results, kind)
    figure, all_axes = axes_grid(len(found))
    for axes, (configuration, spots) in zip(all_axes, found.items()):
        labels = curves(axes, results, spots, locks, "throughput")
        labels.append(_ideal_curve(axes, results, spots))
        heading(axes, configuration)
        task_axis(axes, spots)
        axes.set_ylim(0, 1.06 * _highest(axes))
        axes.yaxis.set_major_formatter(FuncFormatter(short_number))
        look.spread_labels(axes, labels)
    label_left(all_axes, "iterations per second")
    look.note(figure, notes(results, found, "throughput")
              + f"  Ideal: a free lock, simulated on {results.cpus} CPUs.")
    return Picture(f"throughput-{name}-{kind}", figure,
                   f"Throughput by task count: furwock and {title} ({kind})",
                   f"Iterations per second of {len(locks)} locks against the number of {kind}, "
                   "a panel per configuration.")


def coefficient(results, kind, group):
    name, title, locks = group
    found = panels(results, kind, "coeff")
    figure, all_axes = axes_grid(len(found))
    for axes, (configuration, spots) in zip(all_axes, found.items()):
        axes.set_yscale("log")
        labels = curves(axes, results, spots, locks, "coeff")
        heading(axes, configuration)
        task_axis(axes, spots)
        least = min((y for line in axes.lines for y in line.get_ydata() if y > 0), default=1e-3)
        axes.set_ylim(least / 1.5, 1.5 * _highest(axes))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        look.spread_labels(axes, [label for label in labels if label[0] > 0])
    label_left(all_axes, "coefficient of variation")
    look.note(figure, notes(results, found, "coeff") + "  Lower is fairer.")
    return Picture(f"coefficient-{name}-{kind}", figure,
                   f"Fairness: spread of the tasks' iterations, {title} ({kind})",
                   "Standard deviation over mean of the iterations of the tasks, by task count.")


def draw(results, what, metric):
    """Pictures of `what` (throughput or coefficient) for threads and for processes."""
    return [what(results, kind, group) for kind in results.kinds("tables")
            for group in groups(results, kind) if panels(results, kind, metric)]
