# SPDX-License-Identifier: MIT
"""Rounds: in each, every cell is measured once, and the locks of a point one after the other.

A B C, in the next round B C A, and so on: a machine that gets slower or faster does so for all
locks alike, and no lock is always the first.
"""

import sys
import time

from front import Trouble
from front.cli import INTERRUPTED


class Line:
    """The progress line, for whoever sits before a terminal."""

    def __init__(self, quiet=False, out=sys.stderr):
        self.out = None if quiet or not out.isatty() else out

    def say(self, text):
        if self.out:
            print(f"\r{text}\033[K", end="", file=self.out, flush=True)

    def clear(self):
        if self.out:
            print("\r\033[K", end="", file=self.out, flush=True)


def rotated(items, by):
    by %= len(items)
    return items[by:] + items[:by]


def measure(points, rounds, run, deadline=None, say=lambda _number, _cell: None):
    """Fill the cells of `points`, which are lists of what is compared, by `run(cell, number)`.

    A cell whose run ends with Trouble is left out from then on.  False: the deadline came before
    all rounds were done; the first is done in any case.
    """
    for number in range(1, rounds + 1):
        for point in points:
            for cell in rotated(point, number - 1):
                if cell["failures"]:
                    continue
                if deadline is not None and number > 1 and time.monotonic() > deadline:
                    return False
                say(number, cell)
                try:
                    cell["runs"].append({"round": number, **run(cell, number)})
                except Trouble as trouble:
                    cell["failures"].append({"round": number, "what": str(trouble)})
    return True


def conduct(document, points, **how):
    """The same, and the document says how it ended.  The program's exit status."""
    status = 0
    try:
        document["complete"] = measure(points, **how)
        if not document["complete"]:
            document["notes"].append("the time was up before all rounds were done")
    except KeyboardInterrupt:
        document["notes"].append("interrupted")
        status = INTERRUPTED
    return status or int(any(cell["failures"] for point in points for cell in point))
