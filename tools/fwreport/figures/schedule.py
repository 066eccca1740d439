# SPDX-License-Identifier: MIT
"""Schedules of real-time tasks: a panel for each trace, a line for each task.

A box: the task runs; its colour: the lock in whose section it is; hatched: it waits for a section
of somebody else.  Arrows: up, a job is released; down, its deadline.
"""

import matplotlib.pyplot as plt
from matplotlib.patches import Patch

from .. import look, schedule

WIDTH = 8.2                     # inches
LINE = 0.42                     # of a task
AROUND = 0.85                   # of a panel: title, axis
BOX = 0.52                      # height, of the room between two lines
LOCKS = ("furwock", "pthread", "futex", "ulock", "classic", "bad")


def plain(name):
    """Not as a formula."""
    return name.replace("$", r"\$")


def colours(traces):
    """{name of a lock: colour}: the same in all panels."""
    names = sorted({name for trace in traces for name, _ in trace.locks})
    return {name: look.ink(LOCKS[at % len(LOCKS)]) for at, name in enumerate(names)}


def _boxes(axes, spans, y, **how):
    if spans:
        axes.broken_barh([(a, b - a) for a, b in spans], (y, how.pop("height", BOX)), **how)


def _arrow(axes, at, y, up):
    low, high = y, y + BOX + 0.27
    axes.annotate("", xy=(at, high if up else low), xytext=(at, low if up else high),
                  arrowprops={"arrowstyle": "-|>,head_width=0.16,head_length=0.3", "lw": 0.9,
                              "shrinkA": 0, "shrinkB": 0,
                              "color": look.ink("ink" if up else "soft")}, zorder=7)


def _task(axes, task, y, start, end, paint):
    busy = schedule.common(task.busy(), start, end)
    ground = {"facecolor": look.ink("rule"), "edgecolor": look.ink("soft"), "linewidth": 0.5}
    if task.runs is None:
        ground["alpha"] = 0.5
    axes.axhline(y, color=look.ink("soft"), lw=0.7, zorder=1)
    _boxes(axes, busy, y, zorder=2, **ground)
    for section in sorted(task.sections, key=lambda one: one.start):
        inside = schedule.common(busy, section.start, section.end)
        _boxes(axes, inside, y, facecolor=paint(section.lock), edgecolor=look.ink("soft"),
               linewidth=0.5, zorder=3)
        # It has the lock, though it does not run.
        _boxes(axes, schedule.common([(section.start, section.end)], start, end), y, height=0.07,
               facecolor=paint(section.lock), linewidth=0, zorder=4)
    _boxes(axes, schedule.common([(one.start, one.end) for one in task.waits], start, end), y,
           facecolor="none", edgecolor=look.ink("bad"), hatch="/////", linewidth=0.6, zorder=5)
    for at in task.releases:
        if start <= at <= end:
            _arrow(axes, at, y, True)
        if task.deadline and start <= at + task.deadline <= end:
            _arrow(axes, at + task.deadline, y, False)
    for at in task.late:
        if start <= at <= end:
            axes.plot([at], [y], "x", color=look.ink("bad"), ms=6, mew=1.6, zorder=8)


def _panel(axes, trace, start, end, named):
    def paint(lock):
        return named[trace.locks[lock][0]]

    many = len({task.cpu for task in trace.tasks}) > 1
    for at, task in enumerate(trace.tasks):
        _task(axes, task, len(trace.tasks) - 1 - at, start, end, paint)
    axes.set_yticks([len(trace.tasks) - 1 - at + BOX / 2 for at in range(len(trace.tasks))],
                    [f"{plain(task.name)} ({task.priority}{f', CPU {task.cpu}' if many else ''})"
                     for task in trace.tasks])
    axes.set_ylim(-0.12, len(trace.tasks) + 0.02)
    axes.set_xlim(start - (end - start) * 0.01, end + (end - start) * 0.01)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_title(plain(trace.protocols or trace.name))


def _legend(figure, traces, named):
    known = traces[0].tasks[0].runs is not None
    handles = [Patch(facecolor=look.ink("rule"), edgecolor=look.ink("soft"),
                     label="runs" if known else "has a job, and does not wait")]
    handles += [Patch(facecolor=colour, label=f"in a section: {plain(name)}")
                for name, colour in named.items()]
    handles.append(Patch(facecolor="none", edgecolor=look.ink("bad"), hatch="/////",
                         label="waits for a section"))
    figure.legend(handles=handles, loc="lower center", ncol=min(5, len(handles)),
                  fontsize=look.FONT - 1.5, bbox_to_anchor=(0.5, 0.16 / figure.get_figheight()))


def draw(traces, directory, span=None, name="schedule"):
    """Writes NAME.svg and NAME.png; returns their paths."""
    heights = [AROUND + LINE * len(trace.tasks) for trace in traces]
    figure, panels = plt.subplots(len(traces), 1, squeeze=False,
                                  figsize=(WIDTH, sum(heights) + 0.45),
                                  gridspec_kw={"height_ratios": heights})
    named = colours(traces)
    note = "arrows: up, a job is released; down, its deadline"
    for axes, trace in zip(panels[:, 0], traces):
        start, end, whole = trace.span() if span is None else (*span, True)
        _panel(axes, trace, start, end, named)
        note += "" if whole else f"; {plain(trace.name)}: the first {schedule.JOBS} jobs"
    panels[-1, 0].set_xlabel("ms")
    figure.tight_layout(rect=(0, 0.42 / figure.get_figheight(), 1, 1))
    _legend(figure, traces, named)
    look.note(figure, note)
    plt.rcParams["svg.hashsalt"] = name
    paths = [directory / f"{name}.svg", directory / f"{name}.png"]
    figure.savefig(paths[0], facecolor="#ffffff", metadata={"Date": None})
    figure.savefig(paths[1], facecolor="#ffffff", dpi=look.DPI)
    plt.close(figure)
    return paths
