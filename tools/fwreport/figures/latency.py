# SPDX-License-Identifier: MIT
"""Semaphores, events and barriers: a bar for each lock at each test."""

import math

import matplotlib.pyplot as plt

from .. import experiment, look, waketables
from . import Picture, spread_of
from .engine import name_rows, plain_rows, whisker

COLUMNS = 3


def _title(point):
    who, what = waketables.point_words("latency", point)
    return f"{who}, {what}"


def _bars(axes, found, point):
    cells = sorted(found.at(point), key=lambda cell: cell.median().value)
    top = max(cell.median().value for cell in cells)
    size, unit = next((s, u) for s, u in ((1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
                      if top >= s or u == "ns")
    for at, cell in enumerate(cells):
        middle = cell.median()
        axes.barh(at, middle.value / size, 0.66, color=look.colour(cell.lock))
        whisker(axes, middle.value / size, at, middle, "x", size, capthick=0.9)
        base = found.baseline(point)
        over = experiment.ratio(cell, base) if cell is not base else None
        text = waketables.time(middle.value).replace("us", "µs") + (
            f"  ×{over.value:.2f}" if over and over.low is not None else "")
        axes.annotate(text, ((middle.high or middle.value) / size, at), xytext=(4, 0),
                      textcoords="offset points", va="center", fontsize=look.FONT - 1,
                      annotation_clip=False)
    name_rows(axes, [cell.lock for cell in cells],
              {cell.lock for cell in cells if cell.family == "furwock"})
    axes.set_xlim(0, max((cell.median().high or cell.median().value) for cell in cells)
                  / size * 1.42)
    axes.set_xlabel(unit)
    axes.set_title(_title(point))
    plain_rows(axes)


def draw(results):
    found = results.experiments.get("latency")
    if not found:
        return []
    points = found.points()
    rows = math.ceil(len(points) / COLUMNS)
    most = max(len(found.at(point)) for point in points)
    height = (0.27 * most + 0.95) * rows + 0.25
    figure, all_axes = plt.subplots(rows, COLUMNS, figsize=(10.4, height), squeeze=False)
    figure.subplots_adjust(left=0.095, right=0.985, top=1 - 0.3 / height, bottom=0.68 / height,
                           wspace=0.42, hspace=0.95 / (0.27 * most + 0.3))
    flat = list(all_axes.flat)
    for axes, point in zip(flat, points):
        _bars(axes, found, point)
    for spare in flat[len(points):]:
        spare.set_visible(False)
    look.note(figure, "Time of a turn: post and wait, set and wait, a hand-off, a round of the "
                      "barrier.  Medians.  " + spread_of(found) + "  ×: of the C library's.")
    return [Picture("latency", figure, "Semaphores, events and barriers beside the C library's",
                    "Time of a turn of each semaphore, event and barrier.")]
