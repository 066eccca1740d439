# SPDX-License-Identifier: MIT
"""Generic atomics beside libatomic: by the object's size, alone and together, and by threads."""

import matplotlib.pyplot as plt

from .. import compare, look, mix
from . import Picture
from .wakes import NOTE, curve, highest, ratio_axis

COLOURS = {"load": "furwock", "store": "pthread", "exchange": "ulock",
           "compare-exchange": "futex", "95:5": "classic", "50:50": "sysv"}
MARKS = "osD^vp*"
NANO = 1e-9


def _line(axes, xs, ratios, at, name):
    """One line with its intervals; what its label at the right needs."""
    colour = look.ink(COLOURS.get(name, "rival"))
    points = [(x, ratio) for x, ratio in zip(xs, ratios) if ratio]
    if not points:
        return None
    values = [ratio.value for _, ratio in points]
    spread = [[ratio.value - ratio.low if ratio.low is not None else 0 for _, ratio in points],
              [ratio.high - ratio.value if ratio.low is not None else 0 for _, ratio in points]]
    axes.errorbar([x for x, _ in points], values, yerr=spread, color=colour, lw=1.4,
                  elinewidth=0.8, marker=MARKS[at % len(MARKS)], ms=4)
    return values[-1], name, colour, name == "load"


def _axis(axes, ticks, label):
    axes.set_xticks(range(len(ticks)), ticks)
    axes.set_xlim(-0.25, len(ticks) - 0.75)
    axes.set_xlabel(label)
    axes.grid(axis="x", visible=False)


def _panel(axes, one, lines, ticks, label):
    """lines: [(name, [place or None for each tick])]."""
    labels = [_line(axes, range(len(ticks)),
                    [mix.times(one, place) if place else None for place in places], at, name)
              for at, (name, places) in enumerate(lines)]
    _axis(axes, ticks, label)
    ratio_axis(axes)
    look.spread_labels(axes, [one_label for one_label in labels if one_label])


def _at(one, **where):
    return next((place for place in mix.places(one, **where) if mix.plain(place)), None)


def _mixes(places):
    return list(dict.fromkeys(place.mix for place in places))


def _ratios(one, panels, label, name, title, alt):
    """A picture of ratios; panels: [(title, ticks, lines)], at most three."""
    if not panels:
        return []
    wide = len(panels) > 1
    figure, axes = plt.subplots(1, len(panels), figsize=(10.4 if wide else 6.4, 3.8),
                                squeeze=False)
    figure.subplots_adjust(left=0.06 if wide else 0.1, right=0.89 if wide else 0.8, top=0.92,
                           bottom=0.175, wspace=0.28 * len(panels) - 0.1)
    for panel, (heading, ticks, lines) in zip(axes[0], panels):
        _panel(panel, one, lines, ticks, label)
        panel.set_title(heading)
    axes[0][0].set_ylabel(f"times {mix.BASE}'s throughput")
    look.note(figure, NOTE + "  A mix: per cent of load : store : exchange : compare-exchange.")
    return [Picture(name, figure, title, alt)]


def by_size(one, cpus):
    """Each operation alone, and with one and two threads for each processor."""
    panels = []
    for threads, where in ((1, mix.ALONE), (cpus, "same"), (2 * cpus, "same")):
        places = [place for place in mix.places(one, where=where, threads=threads)
                  if mix.plain(place) and place.mix in mix.OPERATIONS and mix.times(one, place)]
        sizes = sorted({place.size for place in places})
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
        places = [place for place in mix.places(one, size=mix.OBJECT, where=where)
                  if mix.plain(place) and mix.times(one, place)]
        counts = sorted({place.threads for place in places})
        if len(counts) > 1:
            panels.append((f"{mix.OBJECT} bytes, {words}", counts, [
                (name, [_at(one, size=mix.OBJECT, mix=name, where=where, threads=count)
                        for count in counts]) for name in _mixes(places)]))
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


def _times_of(axes, one, name, places):
    """The time of a call by the object's size, a curve for each library."""
    marks, labels = look.markers([compare.OURS, mix.BASE]), []
    for lock in (compare.OURS, mix.BASE):
        label = curve(axes, range(len(places)), [_nanoseconds(one.cell(place, lock))
                                                 for place in places], lock, marks[lock])
        if label:
            labels.append(label)
    _axis(axes, [place.size for place in places], "bytes of the object")
    axes.set_ylim(0, 1.1 * max(highest(axes), default=1))
    axes.set_title(name)
    look.spread_labels(axes, labels)


def alone(one):
    """Nanoseconds of a call, a panel for each operation."""
    groups = {name: [place for place in mix.places(one, where=mix.ALONE, mix=name)
                     if mix.plain(place)] for name in mix.OPERATIONS}
    groups = {name: places for name, places in groups.items() if len(places) > 1}
    if not groups:
        return []
    figure, axes = plt.subplots(1, len(groups), figsize=(10.4, 3.3), squeeze=False)
    figure.subplots_adjust(left=0.055, right=0.93, top=0.9, bottom=0.2,
                           wspace=0.18 * len(groups))
    for panel, (name, places) in zip(axes[0], groups.items()):
        _times_of(panel, one, name, places)
    axes[0][0].set_ylabel("ns per call")
    look.note(figure, NOTE + "  A tight loop, a second thread asleep.  1, 2, 4 and 8 bytes have "
                             "instructions, and 16 where the processor does.")
    return [Picture("atomicmix-alone", figure, "Generic atomics that nobody else uses",
                    "Nanoseconds of a call of both libraries, by the object's size, for each "
                    "operation.")]


def draw(results):
    one = mix.found(results)
    return alone(one) + by_size(one, results.cpus) + by_threads(one) if one else []
