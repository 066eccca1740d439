# SPDX-License-Identifier: MIT
"""What a lock costs that nobody else wants: nanoseconds per lock and unlock."""

import matplotlib.pyplot as plt

from .. import compare, goals, look, sharing
from . import Picture, spread
from .engine import name_rows, plain_rows, whisker

DRAWN = {"read": "read lock and unlock", "write": "write lock and unlock"}
BOUNDS = {"read": sharing.READ_MOST["furwock-rw"]}
BOLD = (compare.OURS, *sharing.OURS)


def draw(results):
    found = []
    if results.uncontended:
        found.append(_one(results.uncontended, "uncontended", "lock and unlock",
                          goals.UNCONTENDED_MOST))
    for name, title in DRAWN.items():
        table = results.objects.get(name)
        if table:
            found.append(_one(table, f"uncontended-{name}", title, BOUNDS.get(name)))
    return found


def _one(table, name, calls, most):
    """A bar for each lock; `most`: of the time of the C library's, a goal."""
    locks = table.fastest_first()
    height = 0.235 * len(locks) + 0.95
    figure, axes = plt.subplots(figsize=(10.4, height))
    figure.subplots_adjust(left=0.2, right=0.9, top=1 - 0.12 / height, bottom=0.62 / height)
    # One lock that enters the kernel each time would press all others against the axis.
    costs = {lock: table.estimate(lock) for lock in locks}
    end = _scale_end([costs[lock].value for lock in locks])
    for at, lock in enumerate(locks):
        _bar(axes, at, lock, costs[lock], table.ratio(lock, table.base), end)
    name_rows(axes, locks, BOLD)
    axes.set_xlim(0, end)
    plain_rows(axes)
    axes.set_xlabel(f"nanoseconds per {calls}")
    base = costs.get(table.base)
    note = (spread(map(len, table.samples.values()))
            + f"  Beside each: ns, and its ratio to {table.base}.")
    if base and most:
        axes.axvline(base.value * most, color=look.ink("soft"), lw=0.9, ls=(0, (4, 2)), zorder=0)
        note += f"  Dashed: {most} of {table.base}, the goal."
    look.note(figure, note)
    return Picture(name, figure, f"Uncontended {calls}",
                   f"Nanoseconds per uncontended {calls} of each lock.")


def _scale_end(values):
    """Where the scale ends: at most three times the value of the middle."""
    return min(max(values), 3 * sorted(values)[len(values) // 2]) * 1.12


def _bar(axes, at, lock, cost, ratio, end):
    beyond = cost.value > end
    axes.barh(at, min(cost.value, end), 0.68, color=look.colour(lock))
    if not beyond:
        whisker(axes, cost.value, at, cost, "x", capthick=0.9)
    text = f"{cost.value:.1f}" + (f"   ×{ratio.value:.2f}" if ratio else "")
    x = end if beyond else (cost.high if cost.high is not None else cost.value)
    axes.annotate(("→ " if beyond else "") + text, (x, at), xytext=(5, 0),
                  textcoords="offset points", va="center", fontsize=look.FONT - 1,
                  color=look.ink("ink"), annotation_clip=False,
                  bbox={"facecolor": look.ink("ground"), "edgecolor": "none", "pad": 0.8},
                  fontweight="bold" if lock in BOLD else "normal")
