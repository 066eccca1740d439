# SPDX-License-Identifier: MIT
"""The pictures.  Each module draws from Results and returns Pictures; none saves anything."""

from collections import namedtuple

from .. import stats

# name: of the file; figure: matplotlib's; title and alt: for the page
Picture = namedtuple("Picture", "name figure title alt")


def spread(counts):
    """What the small print says of the whiskers: of how many runs they are, or why there are none.

    `counts`: the runs of each thing that is drawn.
    """
    counts = [n for n in counts if n]
    if not counts:
        return ""
    least, most = min(counts), max(counts)
    n = f"n = {least}" if least == most else f"n = {least} to {most}"
    if most < stats.LEAST:
        return f"{n}: too few for 95 % intervals."
    where = " where n is at least six" if least < stats.LEAST else ""
    return f"Whiskers: 95 % intervals{where} ({n})."


def spread_of(found):
    """The same of all that was measured in an experiment."""
    return spread(len(cell.by_round()) for cell in found.cells.values())


def spread_at(results, spots, *metric):
    """The same of all locks at these spots."""
    return spread(len(cell.values(*metric)) for spot in spots for cell in results.at(spot))
