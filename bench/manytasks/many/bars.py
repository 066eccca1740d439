# SPDX-License-Identifier: MIT
"""The bars: what a task costs beside what a thread does, by furwock's own program (bars.c)."""

import statistics
from typing import NamedTuple

from flex.show import duration, table

from . import ratio as within_rounds

SHAPE = "bars"


class Bar(NamedTuple):
    about: str
    sides: tuple                # the first is what the second is compared with
    value: str                  # which of the program's figures
    most: float                 # of the ratio; 0: none is wanted


BARS = {
    "submit": Bar("take and release a free mutex: CPU time", ("thread", "task"), "cpu_ns", 1.1),
    "wake": Bar("to one that sleeps, and back: CPU time", ("thread", "task"), "cpu_ns", 1.5),
    "cancel": Bar("cancel one of 1,000, of 100,000 waits: CPU time", ("few", "many"), "cpu_ns", 0),
    "longest": Bar("longest wait: a thread among 1,000 tasks, a task among 16 threads",
                   ("thread", "task"), "ns", 0),
}
CANCEL_MOST_NS = 1000


def points():
    """For each bar a cell of each side."""
    return [[{"lock": "furwock", "family": "furwock", "shape": SHAPE, "bar": name, "side": side,
              "runs": [], "failures": []} for side in bar.sides]
            for name, bar in BARS.items()]


def _median(cell, key):
    return statistics.median(run[key] for run in cell["runs"]) if cell["runs"] else None


def _outcome(name, bar, found, cells):
    if name == "cancel":
        if not cells[1]["runs"]:
            return ""
        word = "reached" if _median(cells[1], "cpu_ns") <= CANCEL_MOST_NS else "missed"
        return f"many: at most {duration(CANCEL_MOST_NS)}: {word}"
    if not bar.most or found is None:
        return ""
    return f"at most {bar.most:g}: {'reached' if found[0] <= bar.most else 'missed'}"


def _by(name, cells):
    """Of the longest waits also how many others had the lock meanwhile."""
    if name != "longest" or not all(cell["runs"] for cell in cells):
        return ""
    return "others meanwhile: " + ", ".join(f"{_median(cell, 'by'):.0f}" for cell in cells)


def text(all_cells):
    rows = []
    for name, bar in BARS.items():
        cells = [cell for cell in all_cells if cell["bar"] == name]
        if not cells:
            continue
        found = within_rounds.of(cells[1], cells[0], lambda run, key=bar.value: run[key])
        rows.append([name, bar.about, *(duration_of(_median(cell, bar.value)) for cell in cells),
                     within_rounds.text(found), _outcome(name, bar, found, cells) or
                     _by(name, cells)])
    return table(rows, ["", "", "thread, or few", "task, or many", "ratio", ""])


def duration_of(ns):
    """With one digit more, as the smallest are some nanoseconds."""
    return f"{ns:.1f}ns" if ns is not None and ns < 100 else duration(ns)
