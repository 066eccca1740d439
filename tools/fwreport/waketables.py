# SPDX-License-Identifier: MIT
"""The tables of condperf, pingpong, latency and lifo: rows for the page and for plain text."""

from . import experiment, futexlock, lockmix, mix, rtlatency
from .compare import OURS
from .outcome import interval

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


def point_words(name, point):
    """The parameters of a point, as a table's first columns have them."""
    if name == "condperf":
        how = point.wake + ("" if point.locked else ", unlocked")
        return [point.waiters, point.section_us, how]
    if name == "pingpong":
        return [point.games]
    if name == "atomicmix":
        return [mix.describe(point)]
    if name == "lifo":
        return [point.head, f"{point.threads}{' pinned' * point.pinned}"]
    if name == "tdbtorture":
        return [point.level, point.processes, point.hash_size]
    if name == "dropin":
        return [point.case, point.threads]
    if name == "lockmix":
        return [lockmix.describe(point)]
    if name == "futexlock":
        return futexlock.words(point)
    if name == "rtlatency":
        return [f"{point.kind}: {rtlatency.title(point)}"]
    who = {"alone": "alone", "hand-off": "to and fro"}.get(point.test, f"{point.parties} parties")
    return [point.object, who]


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


def row(found, point, cell):
    middle, best = cell.median(), found.best_rival(point)
    other = None if best is cell else best
    return (point_words(found.name, point)
            + [cell.lock, time(middle.value)]
            + ([time(middle.value / cell.pieces)] if found.kind.piece != found.kind.unit else [])
            + [interval(experiment.ratio(cell, found.baseline(point))),
               interval(experiment.ratio(cell, other)) if other else "the best",
               count(cell, "vcsw"), count(cell, "ivcsw"), count(cell, "syscalls")])


def rows(found, ours_only=False):
    """A row for each lock at each point, fastest first."""
    return [row(found, point, cell) for point in found.points()
            for cell in sorted(found.at(point), key=lambda cell: cell.median().value)
            if not ours_only or cell.family == "furwock"]


def lock_column(found):
    return len(HEADS[found.name])


def mean_rows(found):
    """Each lock over all points: the geometric mean of its time, of the C library's and so on."""
    lines = []
    for lock in found.locks():
        at = [point for point in found.points() if found.cell(point, lock)]
        cells = [found.cell(point, lock) for point in at]
        to_c = [(cell, found.baseline(point)) for cell, point in zip(cells, at)]
        to_best = [(cell, found.best_rival(point)) for cell, point in zip(cells, at)]
        lines.append([lock, len(at)] + [
            experiment.overall(pairs) if all(other for _, other in pairs) else None
            for pairs in (to_c, to_best)])
    lines.sort(key=lambda line: line[2].value if line[2] else 9e9)
    return [line[:2] + [interval(estimate, 3) for estimate in line[2:]] for line in lines]


MEAN_HEADS = ["lock", "points", "of the C library's time", "of each best rival's"]


def failures(results):
    """Lines about runs in which something went wrong."""
    return [f"{cell.lock} at {' '.join(map(str, point_words(name, point)))}: "
            f"{fault.get('what', 'failed')} ({fault.get('times', 1)})"
            for name, found in results.experiments.items()
            for (point, _), cell in found.cells.items() for fault in cell.failures]


def is_ours(found):
    at = lock_column(found)
    return lambda line: line[at] == OURS or str(line[at]).startswith(OURS + "-")
