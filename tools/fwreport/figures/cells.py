# SPDX-License-Identifier: MIT
"""Heat maps: furwock over its best blocking rival and over pthread, cell by cell."""

import math

import matplotlib.pyplot as plt
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.patches import Rectangle

from .. import compare, goals, look
from . import Picture, engine

# Brown for slower, blue-green for faster: told apart without red and green.
SCALE = LinearSegmentedColormap.from_list("cells", ["#8c4a08", "#dfa863", "#f6f2ea",
                                                    "#7fc4bd", "#08655c"])
SPAN = math.log(2)              # the colours end at half and at twice


def tables_of(results, experiment, kind):
    """[(title, rows, columns, {(row, column): Versus})], one map for each number of locks
    and state of the assist."""
    found = {}
    for v in compare.all_versus(results, experiment, kind):
        found.setdefault((v.spot.locks, v.spot.assist or ""), []).append(v)
    maps = []
    for (locks, assist), group in sorted(found.items()):
        columns = list(dict.fromkeys((v.spot.nlht, v.spot.lht) for v in group))
        if experiment == "tables":
            columns.sort(key=lambda c: -c[1] / ((c[0] + c[1]) or 1))
        else:
            columns.sort(key=lambda c: (c[1], c[0]))
        rows = sorted({v.spot.tasks for v in group})
        maps.append((f"{locks} lock{'s' if locks > 1 else ''}"
                     + (f", assist {assist}" if assist else ""), rows, columns,
                     {(v.spot.tasks, (v.spot.nlht, v.spot.lht)): v for v in group}))
    return maps


def draw_cell(axes, x, y, estimate, name, inset, mark=""):
    """`mark` stands behind the value.  `inset`: of the frame around a value that falls short; None:
    no frames."""
    if estimate is None:
        axes.text(x, y, "–", ha="center", va="center", color=look.ink("soft"))
        return
    shade = SCALE(Normalize(-SPAN, SPAN, clip=True)(math.log(estimate.value)))
    dark = sum(w * c for w, c in zip((0.3, 0.59, 0.11), shade)) < 0.5
    tint = "#ffffff" if dark else "#1b1f24"
    axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=shade,
                             edgecolor=look.ink("ground"), lw=1.2))
    low = inset is not None and estimate.value < goals.CELL_LEAST
    if low:
        axes.add_patch(Rectangle((x - 0.5 + inset, y - 0.45), 1 - 2 * inset, 0.9, zorder=5,
                                 facecolor="none", edgecolor="#b3261f", lw=1.8))
    axes.text(x, y - (0.17 if name else 0), ("▼ " if low else "") + f"{estimate.value:.2f}{mark}",
              ha="center", va="center", color=tint, fontweight="bold")
    if name:
        axes.text(x, y + 0.24, name, ha="center", va="center", color=tint,
                  fontsize=look.FONT - (2.6 if len(name) < 12 else 3.6))


def _map(axes, rows, columns, values, which, first):
    for y, row in enumerate(rows):
        for x, column in enumerate(columns):
            v = values.get((row, column))
            if v is None:
                continue
            rival = which == "to_rival"
            draw_cell(axes, x, y, getattr(v, which), v.rival if rival else None,
                      0.012 * len(columns) if rival else None, compare.SHORT * v.short)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xticks(range(len(columns)), [f"({n:g},{h:g})" for n, h in columns],
                    fontsize=look.FONT - (0.5 if len(columns) < 6 else 2.3))
    axes.set_yticks(range(len(rows)), rows if first else [])
    if first:
        axes.set_ylabel("tasks")
    engine.bare(axes)


def one(results, experiment, kind, name, title):
    maps = tables_of(results, experiment, kind)
    heights = [0.4 * len(rows) + 0.62 for _, rows, _, _ in maps]
    height = sum(heights) + 0.42
    figure, all_axes = plt.subplots(len(maps), 2, figsize=(10.4, height), squeeze=False,
                                    gridspec_kw={"height_ratios": [len(m[1]) for m in maps],
                                                 "width_ratios": (1.3, 1)})
    figure.subplots_adjust(left=0.075, right=0.995, top=1 - 0.34 / height, bottom=0.6 / height,
                           wspace=0.05, hspace=0.85 * len(maps) / sum(len(m[1]) for m in maps) * 2)
    for axes, (locks, rows, columns, values) in zip(all_axes, maps):
        for at, which in enumerate(("to_rival", "to_pthread")):
            _map(axes[at], rows, columns, values, which, at == 0)
            against = "best blocking rival, named" if at == 0 else compare.PTHREAD
            axes[at].set_title(f"furwock / {against}" + (f"   {locks}" if len(maps) > 1 else ""))
    short = any(v.short for _, _, _, values in maps for v in values.values())
    look.note(figure, "Throughput ratios; columns: (non-lock-hold, lock-hold) in µs.  "
                      f"▼ framed: below {goals.CELL_LEAST}.  Colours end at 0.5 and 2."
                      + f"  {compare.SHORT_TEXT}." * short)
    return Picture(f"cells-{name}-{kind}", figure, title,
                   "Heat map of furwock's throughput over its best blocking rival's and over "
                   "pthread's.")


def draw(results, experiment):
    word = {"tables": "the paper's grid", "grid": "today's grid"}.get(experiment, experiment)
    return [one(results, experiment, kind, experiment, f"Every cell of {word}, {kind}")
            for kind in results.kinds(experiment) if tables_of(results, experiment, kind)]
