# SPDX-License-Identifier: MIT
"""lockmix in tables: every lock at every point, and a table for a terminal."""

import html

from tabulate import tabulate

from . import lockmix
from .compare import OURS, PTHREAD
from .outcome import interval

METHOD = ("lockmix, after FlexGuard's benchmarks (SOSP 2025): threads work on shared data under "
          "locks: two cache lines under one lock; a hash table with 100 buckets, a lock for each, "
          "keys by Zipf's law; 100 accounts, of which an operation takes one or two. Antagonists "
          "are processes that compute. CPU: CPU time of all threads per acquisition, what a "
          "thread alone needs included; waiting: without that. Waits are of one acquisition in 16.")

HEADS = ["threads", "lock", "operations/s", f"of {PTHREAD}'s", "of own peak", "CPU", "waiting",
         "voluntary per 1000", "involuntary", "least/most", "busier half", "wait, p50", "p99",
         "longest"]
WORDS = (1,)


def rate(estimate):
    if not estimate:
        return "-"
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if estimate.value >= size:
            return f"{estimate.value / size:.3g} {unit}"
    return f"{estimate.value:.3g}"


def span(ns):
    """Three digits and a unit."""
    if ns is None:
        return "-"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def _value(estimate):
    return estimate.value if estimate else None


def _plain(estimate):
    return f"{estimate.value:.2f}" if estimate else "-"


def row(one, point, cell):
    def figure(*path):
        return lockmix.nested(cell, *path)

    return [point.threads, cell.lock, rate(lockmix.rate(one, point, cell.lock)),
            interval(lockmix.times(one, point, cell.lock, PTHREAD)),
            _plain(lockmix.of_peak(one, point, cell.lock)),
            span(_value(lockmix.cpu(one, point, cell.lock))),
            span(lockmix.waiting(one, point, cell.lock)),
            _plain(figure("vcsw")), _plain(figure("ivcsw")),
            _plain(figure("fairness", "min_max")), _plain(figure("fairness", "half")),
            *(span(_value(figure("wait_ns", name))) for name in ("p50", "p99", "max"))]


def figures(one):
    """[(title, heads, rows)]: a table for each mode and number of antagonists, fastest first."""
    return [(lockmix.title(group), HEADS,
             [row(one, point, cell) for point in points
              for cell in sorted(one.at(point), key=lambda cell: cell.median().value)])
            for group, points in lockmix.groups(one).items()]


PUBLISHED_HEADS = ["FlexGuard, as published", f"of {PTHREAD}'s rate", "where"]


def beside(one, results):
    """Published ratios, then ours over pthread's at the crowded points."""
    rows = [list(line) for line in lockmix.PUBLISHED]
    for point in lockmix.crowded(results):
        ratio = lockmix.above_pthread(one, point)
        rows.append([f"furwock: {lockmix.describe(point)}", interval(ratio), "measured here"])
    return rows


def text(one, results):
    parts = [f"lockmix: {title}\n" + tabulate(
        rows, [head.replace(" per ", "\nper ") for head in heads], disable_numparse=True,
        colalign=["right", "left"] + ["right"] * (len(heads) - 2))
        for title, heads, rows in figures(one)]
    parts.append("FlexGuard's published ratios, on its authors' machines\n" + tabulate(
        beside(one, results), PUBLISHED_HEADS, disable_numparse=True) + "\n" + lockmix.SOURCE)
    return "\n\n".join(parts)


def page(results, tables):
    """For the page; `tables` makes HTML of rows."""
    one = lockmix.found(results)
    if not one:
        return ""
    parts = [tables.folded(f"{title[0].upper()}{title[1:]}", tables.table(
        heads, rows, texts=WORDS, ours=lambda line: line[1] == OURS))
        for title, heads, rows in figures(one)]
    parts.append("<h3>FlexGuard's published ratios, on its authors' machines</h3>" + tables.table(
        PUBLISHED_HEADS, beside(one, results), texts=(0, 1, 2))
        + f'<p class="soft">{html.escape(lockmix.SOURCE)}.</p>')
    return "\n".join(parts)


def compact(results, bold):
    """Each lock's rate over pthread's at the crowded points; "" where there are none."""
    one, points = lockmix.found(results), lockmix.crowded(results)
    if not points:
        return ""
    rows = []
    for lock in one.locks():
        ratios = [lockmix.times(one, point, lock, PTHREAD) for point in points]
        mean = sum(r.value for r in ratios if r) / max(1, sum(bool(r) for r in ratios))
        line = [lock] + [_plain(ratio) if ratio else "" for ratio in ratios]
        rows.append((-mean, [bold(word) for word in line] if lock == OURS else line))
    rows.sort(key=lambda pair: pair[0])
    heads = ["more threads than CPUs\nmode\nthreads"] + [
        f"\n{point.mode}\n{point.threads}" for point in points]
    return (tabulate([line for _, line in rows], heads, disable_numparse=True,
                     colalign=["left"] + ["right"] * len(points))
            + f"\nOperations per second over {PTHREAD}'s, beside as many antagonists as CPUs; "
              "higher is better.")
