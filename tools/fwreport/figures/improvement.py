# SPDX-License-Identifier: MIT
"""The paper's Figures 1 to 5: each lock against System V semaphores, its figures beside today's."""

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from .. import compare, look, paper
from . import Picture, spread_at
from .engine import name_rows, plain_rows, row_of_panels, whisker
from .by_tasks import short_note, title_of

FIGURES = {2: 1, 3: 2, 4: 3, 100: 4, 1000: 5}
ALSO = ("furwock", "furwock-fair", "pthread")     # shown with the paper's locks
TICKS = [t * 10 ** e for e in range(-2, 5) for t in (1, 2, 5)]
FINE_TICKS = (0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 6, 8)


def locks_shown(results, kind):
    have = results.locks("tables", kind)
    wanted = ALSO[:1] + paper.GREEDY_LOCKS + ALSO[2:] + ALSO[1:2] + paper.FAIR_LOCKS
    return [lock for lock in wanted if lock in have]


def ratio_to_base(results, spot, lock):
    return compare.throughput_ratio(results.cell(spot, lock), results.cell(spot, paper.BASE))


def by_task_count(results, kind):
    """{tasks: [spot of each of the paper's configurations]}, where System V was measured."""
    if not set(results.locks("tables", kind)) & set(paper.GREEDY_LOCKS + paper.FAIR_LOCKS):
        return {}
    found = {}
    for spot in results.spots("tables", kind):
        if paper.covers(spot) and results.cell(spot, paper.BASE):
            found.setdefault(spot.tasks, []).append(spot)
    return dict(sorted(found.items()))


def _bars(axes, results, spot, locks):
    for at, lock in enumerate(locks):
        then = paper.improvement(lock, spot.tasks, (spot.nlht, spot.lht))
        now = ratio_to_base(results, spot, lock)
        if then is not None:
            axes.barh(at + 0.2, then - 1, 0.36, left=1, color="none", lw=0.9,
                      edgecolor=look.ink("soft"), hatch="////")
        if now is None:
            continue
        point = at if then is None else at - 0.2
        axes.barh(point, now.value - 1, 0.36, left=1, color=look.colour(lock))
        whisker(axes, now.value, point, now, "x", capsize=1.8, capthick=0.9)


def _limits(results, spots, locks):
    seen = [1.0]
    for spot in spots:
        for lock in locks:
            now = ratio_to_base(results, spot, lock)
            then = paper.improvement(lock, spot.tasks, (spot.nlht, spot.lht))
            seen += [x for x in (now and now.value, then) if x]
    return min(min(seen) / 1.15, 0.7), max(seen) * 1.2


def _scale(axes, low, high):
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    inside = [t for t in (FINE_TICKS if high < 10 else TICKS) if low <= t <= high]
    if len(inside) > 6:
        inside = [t for t in inside if f"{t:g}".lstrip("0.").startswith("1")]
    axes.xaxis.set_major_locator(FixedLocator(inside))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"×{x:g}"))
    axes.axvline(1, color=look.ink("sysv"), lw=1.3, zorder=5)
    plain_rows(axes)
    axes.spines["left"].set_visible(False)


def one(results, kind, tasks, spots):
    locks = locks_shown(results, kind)
    height = 0.27 * len(locks) + 1.25
    figure, all_axes = row_of_panels(len(spots), (10.4, height), sharey=True, left=0.125,
                                     right=0.985, top=1 - 0.36 / height, bottom=0.78 / height,
                                     wspace=0.08)
    low, high = _limits(results, spots, locks)
    for axes, spot in zip(all_axes, spots):
        _bars(axes, results, spot, locks)
        _scale(axes, low, high)
        axes.set_title(title_of((spot.nlht, spot.lht))[0])
    name_rows(all_axes[0], locks, (compare.OURS,))
    figure.text(0.555, 0.36 / height, f"throughput as a multiple of {paper.BASE}'s, log scale",
                ha="center", va="center")
    look.note(figure, f"Solid: today.  {spread_at(results, spots, 'throughput')}  Hatched: the "
                      f"paper's ({paper.MACHINE}).  Line at ×1: {paper.BASE}."
              + short_note(results, spots))
    return Picture(f"improvement-{tasks}-{kind}", figure,
                   f"As the paper's Figure {FIGURES[tasks]}: {tasks} {kind}, one lock",
                   f"Throughput of each lock as a multiple of System V's with {tasks} {kind}, "
                   "today's beside the paper's.")


def draw(results):
    return [one(results, kind, tasks, spots) for kind in results.kinds("tables")
            for tasks, spots in by_task_count(results, kind).items()]
