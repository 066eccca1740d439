# SPDX-License-Identifier: MIT
"""futexlock as its author's plots were: throughput over the threads, one plot per duty cycle.

Beside each: the CPU time that was burnt.
"""

from matplotlib.ticker import FuncFormatter

from .. import compare, futexlock, look
from . import Picture, spread_of
from .engine import beside, highest, row_of_panels, step_axis
from .wakes import MEDIANS

BOLD = (compare.OURS, futexlock.NORMAL, compare.PTHREAD)
LEAST_BURNT = 10.0              # ns: below that the scale is linear


def _scaled(estimate, unit):
    if estimate is None:
        return None
    value, low, high = (None if x is None else x / unit for x in estimate[:3])
    return estimate._replace(value=value, low=low, high=high)


def _panel(axes, one, key, value):
    """All locks over the threads, a little beside each other; their names at the right."""
    points = futexlock.points(one, *key)
    labels = beside(axes, len(points), futexlock.locks(one, *key),
                    lambda at, lock: value(one, points[at], lock), BOLD)
    step_axis(axes, [point.threads for point in points], "threads")
    return labels


def _speed(one, point, lock):
    return _scaled(futexlock.speed(one, point, lock), futexlock.KILO)


def _burnt(one, point, lock):
    return _scaled(futexlock.burnt(one, point, lock), futexlock.NANO)


def _throughput(axes, one, key, cpus):
    labels = _panel(axes, one, key, _speed)
    most = [futexlock.ideal(one, point, cpus) for point in futexlock.points(one, *key)]
    if all(most):
        most = [speed / futexlock.KILO for speed in most]
        axes.plot(range(len(most)), most, color=look.ink("soft"), lw=0.9, ls=(0, (4, 2)), zorder=1)
        labels.append((most[-1], "(ideal)", look.ink("soft"), False))
    axes.set_ylim(0, 1.06 * max(highest(axes), default=1))
    axes.set_ylabel("thousand iterations per second")
    axes.set_title("(a) throughput")
    look.spread_labels(axes, labels)


def _waste(axes, one, key):
    labels = _panel(axes, one, key, _burnt)
    axes.set_yscale("symlog", linthresh=LEAST_BURNT)
    axes.set_ylim(0, 1.5 * max(highest(axes) + [LEAST_BURNT]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.0f}"))
    axes.set_ylabel("CPU time burnt, ns per iteration")
    axes.set_title("(b) CPU time burnt")
    look.spread_labels(axes, labels)


def _picture(one, key, cpus):
    period, duty, assist = key
    figure, (left, right) = row_of_panels(2, (10.4, 3.8), left=0.06, right=0.872, top=0.92,
                                          bottom=0.175, wspace=0.64)
    _throughput(left, one, key, cpus)
    _waste(right, one, key)
    look.note(figure, MEDIANS + spread_of(one)
              + "  Burnt: beyond what the instructions alone take.  Ideal: a lock that costs "
              "nothing, CPUs that nobody else uses.")
    name = f"futexlock-{duty}" if period == futexlock.HART[0] else f"futexlock-{period}-{duty}"
    name += "-assist" * (assist == "on")
    return Picture(name, figure, f"futexlock: {futexlock.title(*key)}",
                   "Iterations per second of all threads together, and the CPU time burnt "
                   "for each, by the number of threads.")


def draw(results):
    one = futexlock.found(results)
    return [_picture(one, key, results.cpus)
            for key in futexlock.series(one)] if one else []
