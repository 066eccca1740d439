# SPDX-License-Identifier: MIT
"""The tables of condperf, pingpong, latency and lifo: rows for the page and for plain text."""

from . import contest, futexlock, lockmix, mix, rtlatency
from .compare import OURS
from .verdict import interval

TITLES = {"condperf": "waking all who wait on a condition variable",
          "pingpong": "pairs that pass a ball by a condition variable",
          "latency": "semaphores, events and barriers",
          "lifo": "a stack whose head is one atomic object",
          "atomicmix": "generic atomic operations",
          "tdbtorture": "processes that share a database",
          "dropin": "programs on the POSIX drop-in",
          "lockmix": lockmix.TITLE,
          "rtlatency": rtlatency.TITLE,
          "futexlock": futexlock.TITLE}


def time(seconds):
    """Three digits and a unit."""
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def count(cell, metric):
    found = cell.median(metric) if cell else None
    return f"{found.value:.2f}" if found else "-"


def place_words(name, place):
    """The parameters of a place, as a table's first columns have them."""
    if name == "condperf":
        how = place.wake + ("" if place.locked else ", unlocked")
        return [place.waiters, place.section_us, how]
    if name == "pingpong":
        return [place.games]
    if name == "atomicmix":
        return [mix.describe(place)]
    if name == "lifo":
        return [place.head, f"{place.threads}{' pinned' * place.pinned}"]
    if name == "tdbtorture":
        return [place.level, place.processes, place.hash_size]
    if name == "dropin":
        return [place.case, place.threads]
    if name == "lockmix":
        return [lockmix.describe(place)]
    if name == "futexlock":
        return futexlock.words(place)
    if name == "rtlatency":
        return [f"{place.kind}: {rtlatency.title(place)}"]
    who = {"alone": "alone", "hand-off": "to and fro"}.get(place.test, f"{place.parties} parties")
    return [place.object, who]


HEADS = {"condperf": ["waiters", "us held", "woken by"], "pingpong": ["games"],
         "lockmix": ["place"], "rtlatency": ["place"],
         "latency": ["object", "test"], "lifo": ["head", "threads"],
         "atomicmix": ["calls"], "tdbtorture": ["contention", "processes", "chains"],
         "dropin": ["case", "threads"], "futexlock": futexlock.HEADS}


def heads(found):
    unit, piece = found.kind.unit, found.kind.piece
    return (HEADS[found.name] + ["lock", f"time of a {unit}" if unit != "all games" else "time"]
            + ([f"per {piece}"] if piece != unit else [])
            + ["of the C library's", "of the best rival's", f"voluntary switches per {piece}",
               "involuntary", "system calls"])


def row(found, place, cell):
    middle, best = cell.median(), found.best_rival(place)
    other = None if best is cell else best
    return (place_words(found.name, place)
            + [cell.lock, time(middle.value)]
            + ([time(middle.value / cell.pieces)] if found.kind.piece != found.kind.unit else [])
            + [interval(contest.ratio(cell, found.yardstick(place))),
               interval(contest.ratio(cell, other)) if other else "the best",
               count(cell, "vcsw"), count(cell, "ivcsw"), count(cell, "syscalls")])


def rows(found, ours_only=False):
    """A row for each lock at each place, fastest first."""
    return [row(found, place, cell) for place in found.places()
            for cell in sorted(found.at(place), key=lambda cell: cell.median().value)
            if not ours_only or cell.family == "furwock"]


def lock_column(found):
    return len(HEADS[found.name])


def mean_rows(found):
    """Each lock over all places: the geometric mean of its time, of the C library's and so on."""
    lines = []
    for lock in found.locks():
        at = [place for place in found.places() if found.cell(place, lock)]
        cells = [found.cell(place, lock) for place in at]
        to_c = [(cell, found.yardstick(place)) for cell, place in zip(cells, at)]
        to_best = [(cell, found.best_rival(place)) for cell, place in zip(cells, at)]
        lines.append([lock, len(at)] + [
            contest.overall(pairs) if all(other for _, other in pairs) else None
            for pairs in (to_c, to_best)])
    lines.sort(key=lambda line: line[2].value if line[2] else 9e9)
    return [line[:2] + [interval(estimate, 3) for estimate in line[2:]] for line in lines]


MEAN_HEADS = ["lock", "places", "of the C library's time", "of each best rival's"]


def failures(results):
    """Lines about runs in which something went wrong."""
    return [f"{cell.lock} at {' '.join(map(str, place_words(name, place)))}: "
            f"{fault.get('what', 'failed')} ({fault.get('times', 1)})"
            for name, found in results.contests.items()
            for (place, _), cell in found.cells.items() for fault in cell.failures]


def is_ours(found):
    at = lock_column(found)
    return lambda line: line[at] == OURS or str(line[at]).startswith(OURS + "-")
