# SPDX-License-Identifier: MIT
"""Real-time locks: pairs that meet nobody, Table 1's averages beside the paper's, and Figure 1."""

import matplotlib.pyplot as plt

from .. import crowdaims, look, rtlatency
from . import Picture, spread_of
from .engine import row_of_panels, whisker

GROUP = 0.8                     # of the space of a point, for its bars
NEGLIGIBLE = (0.002, 300)       # the ends of a logarithmic scale of ratios
SHOWN = 95                      # per cent: where a distribution's axis ends
CURVES = {"PCP-DU-BOOL": "furwock", "PCP-DU-PF": "pthread", "MPCP-DU": "furwock",
          "FMLP+-DU": "pthread"}


def colour(lock):
    """Deferred updates before everything; pthread's in blue; the others of furwock paler."""
    if lock in rtlatency.BASELINES:
        return look.ink("furwock")
    if lock in (rtlatency.INHERIT, rtlatency.PROTECT):
        return look.ink("pthread")
    return look.ink("furwock-kin")


def _pairs(one, points):
    figure, axes = plt.subplots(figsize=(9.6, 3.8))
    figure.subplots_adjust(left=0.075, right=0.985, top=0.97, bottom=0.17)
    floor = NEGLIGIBLE[1]
    for at, point in enumerate(points):
        locks = [cell.lock for cell in one.at(point)]
        width = GROUP / len(locks)
        for k, lock in enumerate(locks):
            over = rtlatency.of(one, point, lock, rtlatency.INHERIT)
            if over is None:
                continue
            x = at + (k + 0.5) * width - GROUP / 2
            axes.bar(x, over.value, width * 0.9, color=colour(lock))
            whisker(axes, x, over.value, over)
            axes.annotate(lock, (x, over.high or over.value), xytext=(0, 5), rotation=90,
                          ha="center", va="bottom", textcoords="offset points",
                          fontsize=look.FONT - 1.5, zorder=5,
                          bbox={"facecolor": look.ink("ground"), "edgecolor": "none", "pad": 0.4},
                          color=look.ink("ink" if lock in rtlatency.BASELINES else "soft"))
            floor = min(floor, over.low or over.value)
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.set_ylim(max(NEGLIGIBLE[0], min(low, floor * 0.8)), min(NEGLIGIBLE[1] * 10, high * 8))
    axes.axhline(1, color=look.ink("ink"), lw=0.8)
    axes.axhline(crowdaims.OF_INHERIT, color=look.ink("good"), lw=0.8, ls=(0, (4, 2)))
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
    axes.set_xticks(range(len(points)), [rtlatency.title(point) for point in points])
    axes.set_ylabel(f"time over {rtlatency.INHERIT}'s")
    axes.grid(axis="x", visible=False)
    look.note(figure, "Less is better; log scale.  " + spread_of(one) + "  Dashed: the goal, "
                      f"{crowdaims.OF_INHERIT}.")
    return Picture("rtpairs", figure, "Real-time locks, nobody in the way",
                   "Time of lock and unlock under each protocol over that of PRIO_INHERIT.")


def _panel(axes, one, point, deferred):
    """A group of bars for each kind of call: the change, and a dash where the paper had it."""
    width = GROUP / len(deferred)
    for at, sample in enumerate(rtlatency.SAMPLES):
        for k, (lock, _) in enumerate(deferred):
            now = rtlatency.change(one, point, lock, sample)
            then = rtlatency.change(one, point, lock, sample, value=rtlatency.published)
            x = at + (k + 0.5) * width - GROUP / 2
            if now:
                axes.bar(x, 100 * (now - 1), width * 0.9,
                         color=look.ink("furwock" if k % 2 == 0 else "furwock-kin"),
                         label=lock if at == 0 else None)
            if then:
                axes.plot([x - width * 0.45, x + width * 0.45], [100 * (then - 1)] * 2,
                          color=look.ink("ink"), lw=1.6, ls=(0, (2, 1)),
                          label="the paper's" if at == 0 and k == 0 else None)
    axes.axhline(0, color=look.ink("ink"), lw=0.8)
    axes.set_xticks(range(len(rtlatency.SAMPLES)),
                    [words.replace(", ", ",\n") for words in rtlatency.SAMPLES.values()])
    axes.set_title(rtlatency.title(point))
    axes.grid(axis="x", visible=False)
    axes.legend(loc="upper left", fontsize=look.FONT - 1)


def _table1(one, points):
    figure, every = row_of_panels(len(points), (9.6, 3.6), sharey=True, left=0.075, right=0.985,
                                  top=0.92, bottom=0.2, wspace=0.08)
    for axes, point in zip(every, points):
        _panel(axes, one, point, rtlatency.deferred(one, point))
    every[0].set_ylabel("average, % over the baseline's")
    look.note(figure, "Less is better.  The baseline is the protocol without deferred updates.")
    return Picture("rtlatency", figure, "Deferred updates, as in Table 1",
                   "Change of the average time of lock and unlock by deferred updates, measured "
                   "and as published.")


def _curves(axes, one, point):
    """Each protocol with deferred updates, and its baseline in the same colour."""
    ends = []
    for lock, base in rtlatency.deferred(one, point):
        ink = look.ink(CURVES[lock])
        for name, line in ((base, (0, (4, 2))), (lock, "-")):
            found = rtlatency.distribution(one.cell(point, name))
            if not found or name in axes.get_legend_handles_labels()[1]:
                continue
            axes.step([value / 1000 for _, value in found], [percent for percent, _ in found],
                      where="pre", color=ink, ls=line, lw=1.5, label=name)
            ends.append(rtlatency.percentile(one.cell(point, name), SHOWN))
    axes.set_xlim(0, max(ends) / 1000 * 1.05)
    axes.set_ylim(0, 101)
    axes.set_title(rtlatency.title(point))
    axes.set_xlabel("at most N us of scheduling for a job")
    axes.legend(loc="lower right", fontsize=look.FONT - 1)


def _figure1(one, points):
    figure, every = row_of_panels(len(points), (9.6, 3.6), sharey=True, left=0.075, right=0.985,
                                  top=0.92, bottom=0.18, wspace=0.08)
    for axes, point in zip(every, points):
        _curves(axes, one, point)
    every[0].set_ylabel("% of the jobs")
    counts = sorted({rtlatency.samples(one, point, rtlatency.SCHEDULING) for point in points})
    look.note(figure, f"Further left is better.  n = {' and '.join(map(str, counts))} of each.  "
                      f"The axis ends at the last curve's {SHOWN} %; the longest are in the table.")
    return Picture("rtscheduling", figure, "What deferred updates add to scheduling",
                   "Cumulative distribution of the scheduling overhead of a job, under each "
                   "protocol with deferred updates and under its baseline.")


def draw(results):
    one = rtlatency.found(results)
    if not one:
        return []
    pairs = [point for point in rtlatency.points(one, rtlatency.PAIRS)
             if one.cell(point, rtlatency.INHERIT)]
    tasks = [point for point in rtlatency.of_the_paper(one)
             if rtlatency.deferred(one, point)]
    curves = [point for point in tasks
              if any(rtlatency.distribution(one.cell(point, lock))
                     for lock, _ in rtlatency.deferred(one, point))]
    return [picture(one, found) for picture, found in (
        (_pairs, pairs), (_table1, tasks), (_figure1, curves)) if found]
