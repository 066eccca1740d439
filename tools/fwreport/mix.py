# SPDX-License-Identifier: MIT
"""atomicmix: generic atomic operations per second, beside the compiler's library."""

from . import contest, stats
from .compare import OURS

NAME, BASE = "atomicmix", "libatomic"
OBJECT, PAIR = 32, 16           # bytes: what most figures are of; what instructions can handle
ALONE = "alone"
OPERATIONS = ("load", "store", "exchange", "compare-exchange")
WHERE = {"same": "the same object", "neighbours": "neighbours", "far": "objects far apart"}


def found(results):
    return results.contests.get(NAME)


def plain(place):
    """Whether it is the ordinary call on an object that is in place, sequentially consistent."""
    return place.calls == "generic" and place.offset == 0 and place.order == "seq_cst"


def describe(place):
    words = f"{place.size} bytes"
    if place.calls != "generic":
        words += f" ({place.calls})"
    if place.offset:
        words += f" at +{place.offset}"
    words += f", {place.mix}"
    if place.order != "seq_cst":
        words += f", {place.order}"
    if place.where == ALONE:
        return words + ", alone"
    return f"{words}, {place.threads} thread{'s' * (place.threads != 1)}, {WHERE[place.where]}"


def speed(one, place, lock):
    """Calls per second, of all threads together."""
    cell = one.cell(place, lock)
    return stats.median([1 / x for x in cell.by_round().values()]) if cell else None


def time(one, place):
    """Of furwock's library, over the compiler's."""
    return contest.ratio(one.cell(place, OURS), one.cell(place, BASE))


def times(one, place):
    """The throughput of furwock's library over that of the compiler's."""
    return contest.ratio(one.cell(place, BASE), one.cell(place, OURS))


def object_words(place):
    """The object and how it is called, as short as can be: "32", "16 _16", "24 +4"."""
    return (f"{place.size}" + (f" +{place.offset}" if place.offset else "")
            + (f" {place.calls}" if place.calls != "generic" else ""))


def mix_words(place):
    return place.mix + (f", {place.order}" if place.order != "seq_cst" else "")


def in_order(places):
    """By object, then by mix, then by where the objects are, then by threads."""
    mixes = list(dict.fromkeys(map(mix_words, places)))
    where = [ALONE, *WHERE]
    return sorted(places, key=lambda place: (
        place.size, place.offset, place.calls != "generic", mixes.index(mix_words(place)),
        where.index(place.where), place.threads))


def places(one, **where):
    """Those with these parameters, in order."""
    return [place for place in one.places()
            if all(getattr(place, name) == value for name, value in where.items())]
