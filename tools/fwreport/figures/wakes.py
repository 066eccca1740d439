# SPDX-License-Identifier: MIT
"""Condition variables: curves over the waiters (condperf) and over the games (pingpong)."""

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from .. import aims, compare, experiment, look
from . import Picture, spread_of

MEDIANS = "Medians over the repetitions.  "
LABEL_GAP = 2    # from the axes to the names, in parts of a panel that takes the whole width
ASIDE = 0.14     # how far the whiskers of the locks stand apart, of the step between points
TICKS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 3, 5, 7, 10, 20, 50,
         100)
FEWER_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20, 50, 100)
FEWEST_TICKS = (0.001, 0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 100, 1000)
MOST_TICKS = 8


def panels(found):
    """{(us held, woken by, with the mutex): points by waiters}."""
    groups = {}
    for point in found.points():
        groups.setdefault((point.section_us, point.wake, point.locked), []).append(point)
    return groups


def curve(axes, at, estimates, lock, marker):
    """One lock; estimates beside the points, None where there is none.  Its label, or None."""
    dots = [(x, e) for x, e in zip(at, estimates) if e]
    if not dots:
        return None
    width, order = look.weight(lock)
    xs, ys = [x for x, _ in dots], [e.value for _, e in dots]
    down = [e.value - e.low if e.low is not None else 0 for _, e in dots]
    up = [e.high - e.value if e.low is not None else 0 for _, e in dots]
    axes.errorbar(xs, ys, yerr=[down, up], color=look.colour(lock), lw=width, zorder=order,
                  marker=marker, ms=3.2 + width / 2, elinewidth=0.8, capsize=1.8, capthick=0.8)
    return ys[-1], lock, look.colour(lock), lock in (compare.OURS, compare.PTHREAD)


def _curves(axes, found, points, value):
    """All locks, side by side so that their whiskers can be told apart; writes their names."""
    locks = found.locks()
    marks = look.markers(locks)
    labels = []
    for n, lock in enumerate(locks):
        shift = ASIDE * (n / max(1, len(locks) - 1) - 0.5)
        labels.append(curve(axes, [x + shift for x in range(len(points))],
                             [value(point, lock) for point in points], lock, marks[lock]))
    axes.set_xlim(-0.25, len(points) - 0.75)
    axes.grid(axis="x", visible=False)
    return [label for label in labels if label]


def highest(axes):
    """All values drawn, without their whiskers."""
    return [y for line in axes.lines if line.get_linestyle() != "None" for y in line.get_ydata()]


def ticks_between(low, high):
    """As many as can be read, the finest that are not too many."""
    for ticks in (TICKS, FEWER_TICKS, FEWEST_TICKS):
        inside = [tick for tick in ticks if low <= tick <= high]
        if len(inside) <= MOST_TICKS:
            break
    return inside


def name_ratios(axis, low, high):
    """The ticks of a logarithmic axis."""
    axis.set_major_locator(FixedLocator(ticks_between(low, high)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def ratio_axis(axes):
    """A scale for ratios, with a line at 1."""
    ys = highest(axes) + [1.0]
    axes.set_yscale("log")
    low, high = min(min(ys) / 1.15, 0.75), max(max(ys) * 1.15, 1.25)
    below = max((tick for tick in FEWER_TICKS if tick <= min(ys)), default=low)
    low = min(low, below / 1.02)        # the least value lies between two ticks
    axes.set_ylim(low, high)
    name_ratios(axes.yaxis, low, high)
    axes.axhline(1, color=look.ink("pthread"), lw=1, zorder=1)


def _grid(count, right=0.885):
    figure, all_axes = plt.subplots(1, count, figsize=(10.4, 3.5), squeeze=False)
    figure.subplots_adjust(left=0.062, right=1 - (1 - right) * (0.9 if count > 2 else 1), top=0.9,
                           bottom=0.19, wspace=0.5)
    return figure, list(all_axes[0])


def _title(key):
    section, wake, locked = key
    return (f"{section} µs in the mutex" + ("" if wake == "broadcast" else f", {wake}")
            + ("" if locked else ", unlocked"))


def _rows(keys):
    """Three panels a picture."""
    return [keys[at:at + 3] for at in range(0, len(keys), 3)]


def _per_waiters(found, name, title, alt, label, value, finish):
    pictures, groups = [], panels(found)
    for number, keys in enumerate(_rows(list(groups))):
        figure, all_axes = _grid(len(keys))
        for axes, key in zip(all_axes, keys):
            labels = _curves(axes, found, groups[key], value)
            finish(axes)
            axes.set_xticks(range(len(groups[key])), [point.waiters for point in groups[key]])
            axes.set_xlabel("waiters")
            axes.set_title(_title(key))
            look.spread_labels(axes, labels, gap=LABEL_GAP * len(keys))
        all_axes[0].set_ylabel(label)
        look.note(figure, MEDIANS + spread_of(found))
        pictures.append(Picture(name + (f"-{number + 1}" if number else ""), figure, title, alt))
    return pictures


def broadcasts(results):
    """Time relative to pthread over the waiters, a panel for each time in the mutex."""
    found = results.experiments.get("condperf")
    if not found:
        return []
    return _per_waiters(
        found, "condperf", "Waking all who wait: time of a round over pthread's",
        "Time from the broadcast until all have had the mutex, over pthread's, by waiters.",
        "time / pthread's",
        lambda point, lock: experiment.ratio(found.cell(point, lock),
                                          found.cell(point, compare.PTHREAD)), ratio_axis)


def switches(results):
    found = results.experiments.get("condperf")
    if not found:
        return []

    def finish(axes):
        axes.set_ylim(0, 1.15 * max(highest(axes) + [aims.SWITCHES_MOST]))
        axes.axhline(aims.SWITCHES_MOST, color=look.ink("soft"), lw=0.9, ls=(0, (4, 2)),
                     zorder=1)

    def value(point, lock):
        cell = found.cell(point, lock)
        return cell.switches() if cell else None

    return _per_waiters(
        found, "condperf-switches",
        f"Context switches per woken waiter (dashed: {aims.SWITCHES_MOST}, the goal)",
        "Voluntary and involuntary context switches per woken waiter, by waiters.",
        "switches per waiter", value, finish)


def games(results):
    """Time relative to pthread over the number of games."""
    found = results.experiments.get("pingpong")
    if not found:
        return []
    points = found.points()
    figure, (axes,) = _grid(1)
    labels = _curves(axes, found, points,
                     lambda point, lock: experiment.ratio(found.cell(point, lock),
                                                       found.cell(point, compare.PTHREAD)))
    ratio_axis(axes)
    axes.set_xticks(range(len(points)), [
        f"{point.games}" + ("\none per CPU" if point.games == results.cpus else "")
        for point in points])
    axes.set_xlabel("games (pairs of threads)")
    axes.set_ylabel("time / pthread's")
    look.spread_labels(axes, labels, gap=LABEL_GAP)
    look.note(figure, MEDIANS + spread_of(found))
    return [Picture("pingpong", figure, "Pairs that pass a ball: time over pthread's",
                    "Time until all games are played, over pthread's, by the number of games.")]


def draw(results):
    return broadcasts(results) + switches(results) + games(results)
