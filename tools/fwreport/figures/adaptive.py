# SPDX-License-Identifier: MIT
"""More tasks than CPUs: throughput beside an ideal lock's, and CPU time burnt."""

import matplotlib.pyplot as plt

from .. import adaptive, compare, crowdaims, look
from ..compare import OURS
from . import Picture, spread_at
from .engine import line, step_axis

HEIGHT = 2.15                   # of the panel of a number of tasks, inches
ASIDE = 0.5                     # how far the locks of a point stand apart, of the space it has
WITHOUT = "furwock, assist off"
LEAST_MICRO = 0.01              # what is less is drawn there: the scale is logarithmic


def _panels(results, state):
    """{tasks: spots}, few tasks first."""
    found = {}
    for spot in adaptive.spots(results, state):
        found.setdefault(spot.tasks, []).append(spot)
    return dict(sorted(found.items()))


def _series(results, spots, state):
    """[(name, lock, spots to take it from)]: those that are named; ours without the assist."""
    there = {cell.lock for spot in spots for cell in results.at(spot)}
    named = [(lock, lock, spots) for lock in adaptive.SHOWN if lock in there]
    off = [spot._replace(assist=None) for spot in spots]
    if state and any(results.cell(spot, OURS) for spot in off):
        named.insert(1, (WITHOUT, OURS, off))
    return named


def _others(axes, results, spots, value):
    """The other rivals: dots without a name."""
    dots = [(at, value(results, spot, cell.lock)) for at, spot in enumerate(spots)
              for cell in results.at(spot)
              if cell.family == "rival" and cell.lock not in adaptive.SHOWN]
    dots = [(at, estimate.value) for at, estimate in dots if estimate]
    if dots:
        axes.plot(*zip(*dots), "o", color=look.ink("rival"), alpha=0.55, ms=3,
                  label="other rivals that sleep", zorder=2)


def _draw_series(axes, results, named, value, marks):
    for n, (name, lock, spots) in enumerate(named):
        shift = ASIDE * (n / max(1, len(named) - 1) - 0.5)
        dots = [(at + shift, value(results, spot, lock)) for at, spot in enumerate(spots)]
        dots = [(at, estimate) for at, estimate in dots if estimate]
        width, order = look.weight(lock)
        hollow = {"mfc": look.ink("ground")} if name == WITHOUT else {}
        line(axes, dots, color=look.colour(lock), ls="none", marker=marks[lock],
             ms=3.4 + width / 2, elinewidth=0.8, capsize=1.6, zorder=order, label=name, **hollow)


def _picture(results, state, name, title, alt, value, finish, note):
    panels = _panels(results, state)
    height = HEIGHT * len(panels) + 0.95
    figure, every = plt.subplots(len(panels), 1, figsize=(10.4, height), squeeze=False)
    figure.subplots_adjust(left=0.075, right=0.99, top=1 - 0.62 / height, bottom=0.55 / height,
                           hspace=0.42)
    marks = look.markers(list(adaptive.SHOWN))
    for axes, (tasks, spots) in zip(every[:, 0], panels.items()):
        _others(axes, results, spots, value)
        _draw_series(axes, results, _series(results, spots, state), value, marks)
        step_axis(axes, [compare.configuration(spot) for spot in spots], edge=0.6)
        axes.set_title(f"{tasks} tasks on {results.cpus} CPUs")
        finish(axes)
    handles, labels = every[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper right", ncol=len(labels), fontsize=look.FONT - 1,
                  borderaxespad=0.2, columnspacing=1.1, handletextpad=0.2)
    look.note(figure, note + "  Columns: (non-lock-hold, lock-hold) in µs.  "
              + spread_at(results, adaptive.spots(results, state), "throughput"))
    suffix = "on" if state else "off"
    return Picture(f"{name}-{suffix}", figure, f"{title}, {adaptive.state_words(state)}", alt)


def _micro(results, spot, lock):
    found = adaptive.burnt(results, spot, lock)
    return found and found._replace(**{
        end: None if getattr(found, end) is None else
        max(LEAST_MICRO, getattr(found, end) / adaptive.MICRO) for end in ("value", "low", "high")})


def _finish_share(axes):
    axes.axhline(1, color=look.ink("ink"), lw=0.8)
    axes.axhline(crowdaims.IDEAL_LEAST, color=look.ink("good"), lw=0.8, ls=(0, (4, 2)))
    axes.set_ylim(0, 1.12)
    axes.set_ylabel("of the ideal lock's")


def _finish_cost(axes):
    axes.set_yscale("log")
    axes.set_ylabel("µs burnt")
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:g}")


def draw(results):
    pictures = []
    for state in adaptive.states(results):
        pictures.append(_picture(
            results, state, "adaptive-share", "Throughput beside an ideal lock's",
            "Throughput of each lock over that of a simulated lock that costs nothing, cell by "
            "cell.", adaptive.share, _finish_share,
            f"Dashed: the goal, {crowdaims.IDEAL_LEAST}."))
        if any(cell.values("burnt_ns") for spot in adaptive.spots(results, state)
               for cell in results.at(spot)):
            pictures.append(_picture(
                results, state, "adaptive-burnt", "CPU time burnt for an acquisition",
                "CPU time of an acquisition that was not the work between it and the next, "
                "cell by cell.", _micro, _finish_cost, "Less is better; log scale."))
    return pictures
