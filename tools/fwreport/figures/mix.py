# SPDX-License-Identifier: MIT
"""Generic atomics beside libatomic: by the object's size, alone and together, and by threads."""

from .. import compare, look, mix
from . import Picture, spread_of
from .engine import curve, highest, line, row_of_panels, step_axis
from .wakes import MEDIANS, ratio_axis

COLOURS = {"load": "furwock", "store": "pthread", "exchange": "ulock",
           "compare-exchange": "futex", "95:5": "classic", "50:50": "sysv"}
MARKS = "osD^vp*"
NANO = 1e-9


def _line(axes, xs, ratios, at, name):
    """One line with its intervals; what its label at the right needs."""
    colour = look.ink(COLOURS.get(name, "rival"))
    dots = [(x, ratio) for x, ratio in zip(xs, ratios) if ratio]
    last = line(axes, dots, color=colour, lw=1.4, elinewidth=0.8, marker=MARKS[at % len(MARKS)],
                ms=4)
    return None if last is None else (last, name, colour, name == "load")


def _panel(axes, one, lines, ticks, label):
    """lines: [(name, [point or None for each tick])]."""
    labels = [_line(axes, range(len(ticks)),
                    [mix.times(one, point) if point else None for point in points], at, name)
              for at, (name, points) in enumerate(lines)]
    step_axis(axes, ticks, label)
    ratio_axis(axes)
    look.spread_labels(axes, [one_label for one_label in labels if one_label])


def _at(one, **where):
    return next((point for point in mix.points(one, **where) if mix.plain(point)), None)


def _mixes(points):
    return list(dict.fromkeys(point.mix for point in points))


def _ratios(one, panels, label, name, title, alt):
    """A picture of ratios; panels: [(title, ticks, lines)], at most three."""
    if not panels:
        return []
    wide = len(panels) > 1
    figure, axes = row_of_panels(len(panels), (10.4 if wide else 6.4, 3.8),
                                 left=0.06 if wide else 0.1, right=0.89 if wide else 0.8, top=0.92,
                                 bottom=0.175, wspace=0.28 * len(panels) - 0.1)
    for panel, (heading, ticks, lines) in zip(axes, panels):
        _panel(panel, one, lines, ticks, label)
        panel.set_title(heading)
    axes[0].set_ylabel(f"times {mix.BASE}'s throughput")
    look.note(figure, MEDIANS + spread_of(one)
              + "  A mix: per cent of load : store : exchange : compare-exchange.")
    return [Picture(name, figure, title, alt)]


def by_size(one, cpus):
    """Each operation alone, and with one and two threads for each CPU."""
    panels = []
    for threads, where in ((1, mix.ALONE), (cpus, "same"), (2 * cpus, "same")):
        points = [point for point in mix.points(one, where=where, threads=threads)
                  if mix.plain(point) and point.mix in mix.OPERATIONS and mix.times(one, point)]
        sizes = sorted({point.size for point in points})
        if len(sizes) > 1:
            panels.append((
                mix.ALONE if where == mix.ALONE else f"{threads} threads, {mix.WHERE[where]}",
                sizes, [(name, [_at(one, size=size, mix=name, where=where, threads=threads)
                                for size in sizes]) for name in mix.OPERATIONS]))
    return _ratios(one, panels, "bytes of the object", "atomicmix-sizes",
                   "Generic atomics by the size of the object",
                   "Throughput of furwock's library over the compiler's, by the object's size.")


def by_threads(one):
    """Each mix on the usual object, a panel for where the objects are."""
    panels = []
    for where, words in mix.WHERE.items():
        points = [point for point in mix.points(one, size=mix.OBJECT, where=where)
                  if mix.plain(point) and mix.times(one, point)]
        counts = sorted({point.threads for point in points})
        if len(counts) > 1:
            panels.append((f"{mix.OBJECT} bytes, {words}", counts, [
                (name, [_at(one, size=mix.OBJECT, mix=name, where=where, threads=count)
                        for count in counts]) for name in _mixes(points)]))
    return _ratios(one, panels, "threads", "atomicmix-threads",
                   "Generic atomics by the number of threads",
                   "Throughput of furwock's library over the compiler's on objects of 32 bytes, "
                   "by the number of threads, for several mixes of operations.")


def _nanoseconds(cell):
    if cell is None:
        return None
    middle = cell.median()
    value, low, high = (None if x is None else x / NANO for x in middle[:3])
    return middle._replace(value=value, low=low, high=high)


def _times_of(axes, one, name, points):
    """The time of a call by the object's size, a curve for each library."""
    marks, labels = look.markers([compare.OURS, mix.BASE]), []
    for lock in (compare.OURS, mix.BASE):
        found = [(at, _nanoseconds(one.cell(point, lock))) for at, point in enumerate(points)]
        label = curve(axes, [(at, e) for at, e in found if e], lock, marks[lock])
        if label:
            labels.append(label)
    step_axis(axes, [point.size for point in points], "bytes of the object")
    axes.set_ylim(0, 1.1 * max(highest(axes), default=1))
    axes.set_title(name)
    look.spread_labels(axes, labels)


def alone(one):
    """Nanoseconds of a call, a panel for each operation."""
    groups = {name: [point for point in mix.points(one, where=mix.ALONE, mix=name)
                     if mix.plain(point)] for name in mix.OPERATIONS}
    groups = {name: points for name, points in groups.items() if len(points) > 1}
    if not groups:
        return []
    figure, axes = row_of_panels(len(groups), (10.4, 3.3), left=0.055, right=0.93, top=0.9,
                                 bottom=0.2, wspace=0.18 * len(groups))
    for panel, (name, points) in zip(axes, groups.items()):
        _times_of(panel, one, name, points)
    axes[0].set_ylabel("ns per call")
    look.note(figure, MEDIANS + spread_of(one) + "  A tight loop, a second thread asleep.  1, 2, 4 "
                      "and 8 bytes have instructions, and 16 where the CPU does.")
    return [Picture("atomicmix-alone", figure, "Generic atomics that nobody else uses",
                    "Nanoseconds of a call of both libraries, by the object's size, for each "
                    "operation.")]


def draw(results):
    one = mix.found(results)
    return alone(one) + by_size(one, results.cpus) + by_threads(one) if one else []
