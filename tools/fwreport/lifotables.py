# SPDX-License-Identifier: MIT
"""lifo in tables: elements per second and times the mutex's, a row for each number of threads."""

from tabulate import tabulate

from . import lifo
from .compare import OURS

COLUMNS = 6     # points in the table for a terminal

METHOD = ("lifo, after section 4.2 of Gustedt's report: threads create or delete a random number "
          "of elements of one stack, again and again. The head of the stack is an atomic object "
          "of that many bytes, a pointer to the top and a tag, loaded and compare-exchanged by "
          "generic atomic operations; the elements come from malloc. native: the compiler's "
          "library. The others but furwock: one lock, under which the head is copied, or compared "
          "and copied; with 16 bytes they are left out, except for the mutex.")


def millions(estimate):
    return f"{estimate.value / 1e6:.3g}" if estimate else "-"


def plain(estimate):
    return f"{estimate.value:.2f}" if estimate else "-"


def speed_rows(one, series, relative):
    """A row for each number of threads, a column for each lock."""
    def show(point, lock):
        if relative:
            return plain(lifo.times(one, point, lock, lifo.MUTEX))
        return millions(lifo.speed(one, point, lock))

    return [[point.threads] + [show(point, lock) for lock in lifo.locks(one, *series)]
            for point in lifo.points(one, *series)]


def figures(one):
    """[(title, heads, rows)]: absolute and relative, for each head."""
    return [(f"{lifo.title(*series)}: elements per second, "
             + ("times the mutex's" if relative else "in millions"),
             ["threads"] + lifo.locks(one, *series), speed_rows(one, series, relative))
            for series in lifo.series(one) for relative in (False, True)]


def text(one):
    return "\n\n".join(f"lifo, {title}\n" + tabulate(
        rows, heads, disable_numparse=True, colalign=["right"] * len(heads))
        for title, heads, rows in figures(one))


def _few(points):
    """At most COLUMNS of them, spread over all."""
    if len(points) <= COLUMNS:
        return points
    return [points[at * (len(points) - 1) // (COLUMNS - 1)] for at in range(COLUMNS)]


def compact(results, bold):
    """Each way to protect the head beside the mutex, at a few points; "" where there is none."""
    one = lifo.found(results)
    if not one:
        return ""
    points = _few(one.points())
    rows = []
    for lock in one.locks():
        ratios = [lifo.times(one, point, lock, lifo.MUTEX) for point in points]
        mean = sum(r.value for r in ratios if r) / max(1, sum(bool(r) for r in ratios))
        row = [lock] + [plain(ratio) if ratio else "" for ratio in ratios]
        rows.append((-mean, [bold(word) for word in row] if lock == OURS else row))
    rows.sort(key=lambda pair: pair[0])
    heads = ["stack with an atomic head\nthreads\nbytes of the head"] + [
        f"{'pinned' * point.pinned}\n{point.threads}\n{point.head}" for point in points]
    return (tabulate([row for _, row in rows], heads, disable_numparse=True,
                     colalign=["left"] + ["right"] * len(points))
            + "\nElements per second over those with a pthread mutex around the head; higher is "
              "better.\nnative: the compiler's library.")
