# SPDX-License-Identifier: MIT
"""atomicmix: generic atomic operations per second, beside the compiler's library."""

from . import experiment, stats
from .compare import OURS

NAME, BASE = "atomicmix", "libatomic"
OBJECT, PAIR = 32, 16           # bytes: what most figures are of; what instructions can handle
ALONE = "alone"
OPERATIONS = ("load", "store", "exchange", "compare-exchange")
WHERE = {"same": "the same object", "neighbours": "neighbours", "far": "objects far apart"}


def found(results):
    return results.experiments.get(NAME)


def plain(point):
    """Whether it is the ordinary call on an object that is in place, sequentially consistent."""
    return point.calls == "generic" and point.offset == 0 and point.order == "seq_cst"


def describe(point):
    words = f"{point.size} bytes"
    if point.calls != "generic":
        words += f" ({point.calls})"
    if point.offset:
        words += f" at +{point.offset}"
    words += f", {point.mix}"
    if point.order != "seq_cst":
        words += f", {point.order}"
    if point.where == ALONE:
        return words + ", alone"
    return f"{words}, {point.threads} thread{'s' * (point.threads != 1)}, {WHERE[point.where]}"


def speed(one, point, lock):
    """Calls per second, of all threads together."""
    cell = one.cell(point, lock)
    return stats.median([1 / x for x in cell.by_round().values()]) if cell else None


def time(one, point):
    """Of furwock's library, over the compiler's."""
    return experiment.ratio(one.cell(point, OURS), one.cell(point, BASE))


def times(one, point):
    """The throughput of furwock's library over that of the compiler's."""
    return experiment.ratio(one.cell(point, BASE), one.cell(point, OURS))


def object_words(point):
    """The object and how it is called, as short as can be: "32", "16 _16", "24 +4"."""
    return (f"{point.size}" + (f" +{point.offset}" if point.offset else "")
            + (f" {point.calls}" if point.calls != "generic" else ""))


def mix_words(point):
    return point.mix + (f", {point.order}" if point.order != "seq_cst" else "")


def in_order(points):
    """By object, then by mix, then by where the objects are, then by threads."""
    mixes = list(dict.fromkeys(map(mix_words, points)))
    where = [ALONE, *WHERE]
    return sorted(points, key=lambda point: (
        point.size, point.offset, point.calls != "generic", mixes.index(mix_words(point)),
        where.index(point.where), point.threads))


def points(one, **where):
    """Those with these parameters, in order."""
    return [point for point in one.points()
            if all(getattr(point, name) == value for name, value in where.items())]
