# SPDX-License-Identifier: MIT
"""The report's Figures 1 and 2: a stack with an atomic head, over the number of threads."""

from matplotlib.ticker import FuncFormatter

from .. import aims, compare, lifo, look
from . import Picture, spread_of
from .engine import beside, highest, row_of_panels, step_axis
from .wakes import MEDIANS, ratio_axis

BOLD = (compare.OURS, lifo.NATIVE, lifo.MUTEX)


def _panel(axes, one, series, value):
    """All locks over the threads, a little beside each other; their names at the right."""
    points = lifo.points(one, *series)
    labels = beside(axes, len(points), lifo.locks(one, *series),
                    lambda at, lock: value(points[at], lock), BOLD)
    step_axis(axes, [point.threads for point in points], "threads")
    return labels


def _absolute(axes, one, series):
    labels = _panel(axes, one, series, lambda point, lock: lifo.speed(one, point, lock))
    axes.set_ylim(0, 1.06 * max(highest(axes), default=1))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y / 1e6:g}"))
    axes.set_ylabel("million elements per second")
    axes.set_title("(a) absolute")
    look.spread_labels(axes, labels)


def _relative(axes, one, series):
    labels = _panel(axes, one, series,
                    lambda point, lock: lifo.times(one, point, lock, lifo.MUTEX))
    ratio_axis(axes)
    if series[0] > lifo.PAIR:
        axes.axhline(aims.LIFO_MUTEX_LEAST, color=look.ink("soft"), lw=0.9, ls=(0, (4, 2)),
                     zorder=1)
    axes.set_ylabel("times the mutex's")
    axes.set_title("(b) relative to the mutex")
    look.spread_labels(axes, labels)


def _picture(one, series):
    head, pinned = series
    figure, (left, right) = row_of_panels(2, (10.4, 3.8), left=0.055, right=0.887, top=0.92,
                                          bottom=0.175, wspace=0.46)
    _absolute(left, one, series)
    _relative(right, one, series)
    note = (MEDIANS + spread_of(one)
            + "  (b): of the ratios within a repetition, so not (a) over (a).")
    if head > lifo.PAIR:
        note += f"  Dashed: {aims.LIFO_MUTEX_LEAST}, the goal with one and two threads per CPU."
    look.note(figure, note)
    return Picture(f"lifo-{head}" + "-pinned" * pinned, figure,
                   f"A stack whose head is an atomic object: {lifo.title(head, pinned)}",
                   "Elements handled per second by the number of threads, absolute and relative "
                   "to pthread's mutex.")


def draw(results):
    one = lifo.found(results)
    return [_picture(one, series) for series in lifo.series(one)] if one else []
