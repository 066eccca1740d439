# SPDX-License-Identifier: MIT
"""The locks that a program waited for: for how long in all, where, and how long each time."""

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter

from .. import look, waited
from ..outcome import duration
from . import Picture

LOCKS = 12                # of a process, with most time first
PROCESSES = 6             # of all results
NAME = 34
PLACES = ("furwock", "pthread", "futex", "ulock")       # colours of the first ones


def shortened(text):
    return text if len(text) <= NAME else text[:NAME - 1] + "…"


def _totals(axes, locks):
    """A bar for each lock, divided by where the threads waited."""
    for y, lock in enumerate(locks):
        by_waiter = {}
        for site in lock.sites:
            by_waiter[site.waiter] = by_waiter.get(site.waiter, 0) + site.ns
        most = sorted(by_waiter.items(), key=lambda pair: -pair[1])
        shares = most[:len(PLACES)] + [("elsewhere", sum(ns for _, ns in most[len(PLACES):]))]
        left = 0
        for at, (_, ns) in enumerate(shares):
            colour = look.ink(PLACES[at] if at < len(PLACES) else "rival")
            axes.barh(y, ns, left=left, height=0.62, color=colour)
            left += ns
        where = f"{lock.waits} × {most[0][0]}" if most else str(lock.waits)
        axes.annotate(shortened(where), (left, y), xytext=(4, 0), textcoords="offset points",
                      va="center", fontsize=look.FONT - 2, color=look.ink("soft"))
    axes.set_yticks(range(len(locks)), [f"{shortened(lock.name)}\n{lock.kind}" for lock in locks],
                    fontsize=look.FONT - 1.5)
    axes.set_xlim(0, 1.75 * max(max(lock.ns for lock in locks), 1))
    axes.xaxis.set_major_formatter(FuncFormatter(duration))
    axes.xaxis.get_major_locator().set_params(nbins=5)
    axes.set_title("waited in all threads")


def _spread(axes, locks):
    """From the median over the 99th percentile to the longest."""
    for y, lock in enumerate(locks):
        half, most, longest = (max(x, 1.0) for x in (lock.half, lock.most, lock.longest))
        axes.plot([half, longest], [y, y], color=look.ink("soft"), lw=1)
        axes.plot([half, most], [y, y], color=look.ink("furwock"), lw=3.5, solid_capstyle="butt")
        axes.plot([half], [y], "o", color=look.ink("furwock"), ms=5)
        axes.plot([longest], [y], "|", color=look.ink("ink"), ms=9)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(duration))
    axes.set_title("one wait: half, 99 %, longest")


def _picture(process, number):
    locks = (process.locks + process.others)[:LOCKS]
    height = 0.46 * len(locks) + 1.1
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, height), sharey=True,
                                         width_ratios=(1.7, 1))
    figure.subplots_adjust(left=0.25, right=0.985, top=1 - 0.36 / height, bottom=0.62 / height,
                           wspace=0.06)
    _totals(left, locks)
    _spread(right, locks)
    left.set_ylim(len(locks) - 0.4, -0.6)
    for axes in (left, right):
        axes.grid(axis="y", visible=False)
    look.note(figure, "Behind each bar: how many waits, and where most of the time went; colours "
                      "divide it by the waiters' call sites.  Conditions and the like come last.")
    return Picture(f"waited-{number}", figure, f"{process.title} (process {process.number})",
                   "The locks for which a program's threads waited: the total of each lock, and "
                   "the spread of single waits.")


def draw(results):
    most = sorted(results.waited, key=waited.total, reverse=True)[:PROCESSES]
    return [_picture(process, number) for number, process in enumerate(most, 1)]
