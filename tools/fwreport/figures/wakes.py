# SPDX-License-Identifier: MIT
"""Condition variables: curves over the waiters (condperf) and over the games (pingpong)."""

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from .. import aims, compare, experiment, look
from . import Picture, spread_of
from .engine import beside, highest, row_of_panels, step_axis

MEDIANS = "Medians over the repetitions.  "
LABEL_GAP = 2    # from the axes to the names, in parts of a panel that takes the whole width
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
    right = 1 - (1 - right) * (0.9 if count > 2 else 1)
    return row_of_panels(count, (10.4, 3.5), left=0.062, right=right, top=0.9, bottom=0.19,
                         wspace=0.5)


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
            points = groups[key]
            labels = beside(axes, len(points), found.locks(),
                            lambda at, lock, points=points: value(points[at], lock))
            finish(axes)
            step_axis(axes, [point.waiters for point in points], "waiters")
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
    labels = beside(axes, len(points), found.locks(), lambda at, lock: experiment.ratio(
        found.cell(points[at], lock), found.cell(points[at], compare.PTHREAD)))
    ratio_axis(axes)
    step_axis(axes, [f"{point.games}" + ("\none per CPU" if point.games == results.cpus else "")
                     for point in points], "games (pairs of threads)")
    axes.set_ylabel("time / pthread's")
    look.spread_labels(axes, labels, gap=LABEL_GAP)
    look.note(figure, MEDIANS + spread_of(found))
    return [Picture("pingpong", figure, "Pairs that pass a ball: time over pthread's",
                    "Time until all games are played, over pthread's, by the number of games.")]


def draw(results):
    return broadcasts(results) + switches(results) + games(results)
