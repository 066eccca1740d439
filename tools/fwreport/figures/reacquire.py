# SPDX-License-Identifier: MIT
"""How often a task got the lock back before anybody else did."""

import matplotlib.pyplot as plt

from .. import compare, look, paper
from . import Picture
from .engine import name_rows

PARTS = (("never", 1.0), ("once", 0.62), ("twice", 0.36), ("more", 0.16))    # name, opacity


def the_spot(results, kind):
    """The paper's spot, 100 tasks and (9,1), or the nearest that was measured."""
    nlht, lht = paper.REACQUIRE_CONFIGURATION
    spots = [s for s in results.spots("tables", kind) if s.locks == 1]
    return min(spots, default=None, key=lambda s: (abs(s.tasks - paper.REACQUIRE_TASKS),
                                                   abs(s.nlht - nlht), abs(s.lht - lht)))


def shares(never, once, twice):
    """The four parts; what the paper does not tell counts as more."""
    parts = [never, once or 0.0, twice or 0.0]
    return parts + [max(0.0, 1 - sum(parts))]


def rows(results, spot):
    """[(label, shares, longest, is today's)], the fairest first."""
    found = []
    for cell in results.at(spot):
        never = cell.mean("reacquire", "never")
        if never is None or cell.lock == "none":
            continue
        found.append((cell.lock, shares(never, cell.mean("reacquire", "once"),
                                        cell.mean("reacquire", "twice")),
                      cell.most("reacquire", "max"), True))
    found.sort(key=lambda row: (row[0] != compare.OURS, -row[1][0]))
    for lock, (never, once, twice, longest) in paper.REACQUIRE.items():
        found.append((f"{lock}, 2002", shares(never, once, twice), longest, False))
    return found


def _row(axes, at, row):
    label, parts, longest, today = row
    left = 0.0
    tint = look.colour(label) if today else look.ink("soft")
    for part, (_, opacity) in zip(parts, PARTS):
        axes.barh(at, part, 0.68, left=left, color=tint, alpha=opacity, lw=0)
        if part >= 0.05:
            axes.text(left + part / 2, at, f"{part:.0%}" if part < 0.9995 else "100%",
                      ha="center", va="center", fontsize=look.FONT - 2,
                      color=look.ink("ground" if opacity > 0.5 else "ink"))
        left += part
    text = "" if longest is None else f"{longest:,.0f}".replace(",", " ")
    axes.text(1.015, at, text, va="center", fontsize=look.FONT - 1)


def one(results, kind):
    spot = the_spot(results, kind)
    table = rows(results, spot)
    height = 0.215 * len(table) + 1.15
    figure, axes = plt.subplots(figsize=(10.4, height))
    figure.subplots_adjust(left=0.16, right=0.93, top=1 - 0.4 / height, bottom=0.55 / height)
    for at, row in enumerate(table):
        _row(axes, at, row)
    today = {row[0] for row in table if row[3]}
    name_rows(axes, [row[0] for row in table], (compare.OURS,),
              lambda name: look.colour(name) if name in today else look.ink("soft"))
    axes.set_xlim(0, 1)
    axes.grid(visible=False)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:.0%}")
    axes.set_xlabel("share of the rows of turns by one task")
    axes.annotate("most\ntimes", (1.015, 1), xytext=(0, 2), xycoords="axes fraction",
                  textcoords="offset points", fontsize=look.FONT - 1.5, va="bottom")
    _key(axes)
    look.note(figure, f"{compare.describe(spot)}.  Most times: a task got the lock back in "
                      f"one row.  {paper.MACHINE}; palest there: not told.")
    return Picture(f"reacquisition-{kind}", figure,
                   f"Fairness: how often a task took the lock again at once ({kind})",
                   "Share of turns after which a task took the lock again before another did, "
                   "by lock.")


def _key(axes):
    texts = ("never taken again at once", "once", "twice", "more often")
    for text, (_, opacity), x in zip(texts, PARTS, (0.0, 0.235, 0.315, 0.395)):
        axes.annotate("■", (x, 1), xytext=(0, 6), xycoords="axes fraction",
                      textcoords="offset points", alpha=opacity, color=look.ink("furwock"))
        axes.annotate(text, (x + 0.017, 1), xytext=(0, 6), xycoords="axes fraction",
                      textcoords="offset points", fontsize=look.FONT - 1)


def draw(results):
    return [one(results, kind) for kind in results.kinds("tables")
            if the_spot(results, kind) and len(rows(results, the_spot(results, kind))) >
            len(paper.REACQUIRE)]
