# SPDX-License-Identifier: MIT
"""Read-write locks in a table that fits a terminal: each beside pthread's, at a few spots."""

from tabulate import tabulate

from . import compact, compare, sharing

COLUMNS = 6


def _spots(results):
    """At most COLUMNS that have pthread's lock, spread over all."""
    spots = [spot for spot in results.spots(sharing.EXPERIMENT, "threads")
             if spot.tasks > 1 and results.cell(spot, sharing.PTHREAD_RW)]
    if len(spots) <= COLUMNS:
        return spots
    return [spots[at * (len(spots) - 1) // (COLUMNS - 1)] for at in range(COLUMNS)]


def _over_pthread(results, lock, spots):
    return [compare.throughput_ratio(results.cell(spot, lock),
                                     results.cell(spot, sharing.PTHREAD_RW)) for spot in spots]


def _row(lock, results, spots, every):
    alone = results.objects.get("read")
    ratios = _over_pthread(results, lock, spots)
    last, mean = compact.over_all([r for r in _over_pthread(results, lock, every) if r])
    row = [lock, sharing.preference(results, lock) or ""]
    if alone:
        row.append(f"{alone.estimate(lock).value:.1f}" if lock in alone.samples else "")
    row += [f"{ratio.value:.2f}" if ratio else "" for ratio in ratios]
    return -(mean or 0), row + last


def texts(results, bold):
    """What there is to show; bold(word) makes a word stand out."""
    spots = _spots(results)
    if not spots:
        return []
    every = results.spots(sharing.EXPERIMENT, "threads")
    locks = [lock for lock in results.locks(sharing.EXPERIMENT, "threads")
             if sharing.preference(results, lock)]
    rows = [_row(lock, results, spots, every) for lock in locks]
    rows.sort(key=lambda pair: pair[0])
    rows = [[bold(word) for word in row] if row[0] == sharing.OURS[0] else row for _, row in rows]
    alone = "read" in results.objects
    heads = (["read-write lock\ntasks\nreads", "\n\nprefers"] + ["read\nalone\nns"] * alone
             + [f"\n{spot.tasks}\n{spot.share:g} %" for spot in spots]
             + compact.heads_over_all(len(every)))
    return [tabulate(rows, heads, disable_numparse=True,
                     colalign=["left", "left"] + ["right"] * (len(heads) - 2))
            + "\nThroughput over pthread's lock, by the share of the lock calls that are for "
              "reading; higher\nis better, among those that prefer the same."]
