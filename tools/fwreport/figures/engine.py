# SPDX-License-Identifier: MIT
"""What all pictures are made of: curves with whiskers, panels of curves, bars, rows with names."""

import matplotlib.pyplot as plt

from .. import compare, look

BOLD = (compare.OURS, compare.PTHREAD)
ASIDE = 0.14     # how far the whiskers of the locks stand apart, of the step between points
PALE = {"alpha": 0.4, "elinewidth": 0.6}
PALE_LINE = {"alpha": 0.5, "lw": 0.8}
WHISKER = {"elinewidth": 0.8, "capsize": 1.8, "capthick": 0.8}


def row_of_panels(count, size, sharey=False, **room):
    """A figure and its panels, which stand in a row; `room` as subplots_adjust has it."""
    figure, axes = plt.subplots(1, count, figsize=size, squeeze=False, sharey=sharey)
    figure.subplots_adjust(**room)
    return figure, list(axes[0])


# --- Whiskers ----------------------------------------------------------------------------------


def ends(estimates, unit=1):
    """What goes down and up from each value, as matplotlib wants it; nothing without interval."""
    return [[0 if e.low is None else (e.value - e.low) / unit for e in estimates],
            [0 if e.low is None else (e.high - e.value) / unit for e in estimates]]


def whisker(axes, x, y, estimate, along="y", unit=1, **how):
    """On a bar that ends at (x, y); nothing where there is no interval."""
    if estimate.low is None:
        return
    axes.errorbar(x, y, color=look.ink("ink"), **{f"{along}err": ends([estimate], unit)},
                  **{"elinewidth": 0.9, "capsize": 2, **how})


# --- Curves ------------------------------------------------------------------------------------


def is_wide(estimate):
    """Does the interval say little?"""
    return (estimate.low is not None
            and estimate.high - estimate.low > 2 * look.WIDE * abs(estimate.value))


def line(axes, dots, **how):
    """Of dots [(x, estimate)], with whiskers; the last value, or None where there are no dots.

    What leads to a value with a wide interval is thin and pale, as the value and its whisker are: a
    bold line would promise more than was found, and the whiskers would cover the panel.
    """
    if not dots:
        return None
    if any(is_wide(e) for _, e in dots):
        look.tell_of_wide(axes.figure)
        _in_parts(axes, dots, how)
    else:
        _plainly(axes, dots, how)
    return dots[-1][1].value


def _plainly(axes, dots, how):
    estimates = [e for _, e in dots]
    axes.errorbar([x for x, _ in dots], [e.value for e in estimates], yerr=ends(estimates), **how)


def _in_parts(axes, dots, how):
    marks = {**how, "ls": "none"}
    steps = {name: how[name] for name in ("color", "lw", "ls", "zorder") if name in how}
    sure = [dot for dot in dots if not is_wide(dot[1])]
    for (x, e), (next_x, other) in zip(dots, dots[1:]):
        thin = PALE_LINE if is_wide(e) or is_wide(other) else {}
        axes.plot([x, next_x], [e.value, other.value], **{**steps, **thin})
    if sure:
        _plainly(axes, sure, marks)
        marks = {**marks, "label": None}
    _plainly(axes, [dot for dot in dots if is_wide(dot[1])], {**marks, **PALE})
    # Where the scale ends depends on all values, also on those that no step leads to.
    axes.plot([x for x, _ in dots], [e.value for _, e in dots], lw=0, ls="-")


def curve(axes, dots, lock, marker, bold=BOLD, **how):
    """The line of a lock, in its own colour; its label for the right edge, or None."""
    width, order = look.weight(lock)
    last = line(axes, dots, **{"color": look.colour(lock), "lw": width, "zorder": order,
                               "marker": marker, "ms": 3.2 + width / 2, **WHISKER, **how})
    return None if last is None else (last, lock, look.colour(lock), lock in bold)


def beside(axes, count, locks, estimate, bold=BOLD, aside=ASIDE):
    """All locks over `count` points, side by side so that their whiskers can be told apart.

    estimate(at, lock) is None where there is none.  The labels.
    """
    marks, labels = look.markers(locks), []
    for n, lock in enumerate(locks):
        shift = aside * (n / max(1, len(locks) - 1) - 0.5)
        found = [(at + shift, estimate(at, lock)) for at in range(count)]
        labels.append(curve(axes, [(x, e) for x, e in found if e], lock, marks[lock], bold))
    return [label for label in labels if label]


def step_axis(axes, names, label=None, edge=0.25):
    """The horizontal scale of points that are one step apart."""
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-edge, len(names) - 1 + edge)
    if label:
        axes.set_xlabel(label)
    axes.grid(axis="x", visible=False)


def highest(axes):
    """All values drawn, without their whiskers."""
    return [y for drawn in axes.lines if drawn.get_linestyle() != "None"
            for y in drawn.get_ydata()]


# --- Rows --------------------------------------------------------------------------------------


def name_rows(axes, names, bold=(), colour=look.colour):
    """A name in its own colour beside each row; the first one on top."""
    axes.set_yticks(range(len(names)), names)
    for label, name in zip(axes.get_yticklabels(), names):
        label.set_color(colour(name))
        label.set_fontweight("bold" if name in bold else "normal")
    axes.set_ylim(len(names) - 0.4, -0.6)


def plain_rows(axes):
    """No lines between the rows."""
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)


def bare(axes):
    """Of a map: no lines, no frame."""
    axes.grid(visible=False)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
