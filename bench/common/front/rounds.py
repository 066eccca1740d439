# SPDX-License-Identifier: MIT
"""Rounds: in each, every cell is measured once, and the locks of a point one after the other.

A B C, in the next round B C A, and so on: a machine that gets slower or faster does so for all
locks alike, and no lock is always the first.
"""

import json
import sys
import time

from front import Trouble, machine
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


def measure(points, rounds, run, deadline=None, say=lambda _number, _cell: None, done=0):
    """Fill the cells of `points`, which are lists of what is compared, by `run(cell, number)`.

    A cell whose run ends with Trouble is left out from then on.  False: the deadline came before
    all rounds were done; the first is done in any case.  `done`: how many were done before.
    """
    for number in range(done + 1, rounds + 1):
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


SETTINGS = ("pinned", "milliseconds", "seed")     # the same in all sittings


def spent(before):
    """Seconds that earlier sittings have taken."""
    return float((before or {}).get("seconds", 0))


def _same(cell, other):
    """Whether both were measured of the same."""
    return all(other.get(key) == value for key, value in cell.items()
               if key not in ("runs", "failures"))


def resume(path, document, points):
    """Go on with the result in the file, if there is one: its whole rounds are taken over.

    How many those are, and the document that it has been; Trouble where it is of something else.
    """
    try:
        with open(path, encoding="utf-8") as file:
            before = json.load(file)
    except FileNotFoundError:
        return 0, None
    except (OSError, ValueError) as error:
        raise Trouble(f"--resume: {path}: {error}", 2) from None
    theirs = before.get("cells", [])
    if (before.get("benchmark") != document["benchmark"]
            or not machine.same(before.get("machine", {}), document["machine"])):
        raise Trouble(f"--resume: {path} is of another benchmark or machine", 2)
    told = before.get("settings", {})
    if (any(told.get(key) != document["settings"].get(key) for key in SETTINGS)
            or len(theirs) != sum(map(len, points))):
        raise Trouble(f"--resume: {path} was measured with other options", 2)
    pairs = [(cell, next((other for other in theirs if _same(cell, other)), None))
             for point in points for cell in point]
    if any(other is None for _, other in pairs):
        raise Trouble(f"--resume: {path} was measured with other options", 2)
    done = min((len(other["runs"]) for _, other in pairs if not other["failures"]), default=0)
    document["seconds"] = spent(before)
    for cell, other in pairs:
        cell["failures"] = other["failures"]
        cell["runs"] = [run for run in other["runs"] if run["round"] <= done]
    return done, before


def conduct(document, points, **how):
    """The same, and the document says how it ended.  The program's exit status."""
    status, begun = 0, time.monotonic()
    try:
        document["complete"] = measure(points, **how)
        if not document["complete"]:
            document["notes"].append("the time was up before all rounds were done")
    except KeyboardInterrupt:
        document["notes"].append("interrupted")
        status = INTERRUPTED
    document["seconds"] = document.get("seconds", 0) + time.monotonic() - begun
    return status or int(any(cell["failures"] for point in points for cell in point))
