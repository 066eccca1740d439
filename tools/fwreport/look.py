# SPDX-License-Identifier: MIT
"""How everything looks: one colour per family of locks, in light and in dark, and how it is saved.

Pictures are drawn in the light colours.  In the page each of them becomes a CSS variable, so that
one drawing serves both.  The hues are told apart by colour-blind readers, too (after Okabe and
Ito, "Color Universal Design"); where a picture needs more than hue, markers differ as well.
"""

import io
import re

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the backend is chosen)
from matplotlib.patches import PathPatch  # noqa: E402
from matplotlib.path import Path  # noqa: E402

COLOURS = {                      # light, dark
    "ink": ("#1b1f25", "#e8eaee"),
    "soft": ("#59636f", "#a4adb8"),
    "rule": ("#d8dde4", "#39414b"),
    "ground": ("#fffffe", "#14181d"),
    "furwock": ("#d2450b", "#ff8546"),
    "furwock-kin": ("#e79a6f", "#cc7748"),
    "pthread": ("#0b63a5", "#5aaef0"),
    "pthread-kin": ("#74a9cf", "#4d8dc2"),
    "rival": ("#878f99", "#858e99"),
    "native": ("#5a4fcf", "#a79dff"),
    "futex": ("#007f66", "#36c3a0"),
    "ulock": ("#97489b", "#d08fd3"),
    "sysv": ("#3b424b", "#cfd4da"),
    "classic": ("#8f7420", "#cdb15f"),
    "good": ("#1d7a4d", "#4fc78a"),
    "bad": ("#b3261e", "#ff8a80"),
}
DPI = 160
WIDE = 0.25                      # half an interval, of its value: more says little
FONT = 8.5
MARKERS = "os^Dvp*hX<>P"
TIE = 0.8                        # of the way from a dot to its label

plt.rcParams.update({
    "font.family": "DejaVu Sans", "font.size": FONT, "svg.fonttype": "path",
    "axes.facecolor": "none", "axes.edgecolor": COLOURS["soft"][0],
    "axes.labelcolor": COLOURS["ink"][0], "axes.titlesize": FONT + 0.5,
    "axes.titleweight": "bold", "axes.titlelocation": "left", "axes.titlepad": 7,
    "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.7,
    "axes.grid": True, "axes.axisbelow": True, "grid.color": COLOURS["rule"][0],
    "grid.linewidth": 0.6, "text.color": COLOURS["ink"][0],
    "xtick.color": COLOURS["soft"][0], "ytick.color": COLOURS["soft"][0],
    "xtick.labelcolor": COLOURS["ink"][0], "ytick.labelcolor": COLOURS["ink"][0],
    "xtick.labelsize": FONT - 0.5, "ytick.labelsize": FONT - 0.5,
    "legend.frameon": False, "figure.facecolor": "none", "hatch.linewidth": 0.8,
})


def ink(name):
    return COLOURS[name][0]


def colour_name(lock):
    """The name in COLOURS for a lock."""
    if lock in ("furwock", "pthread", "sysv", "native"):
        return lock
    named = {"mutex": "pthread", "musl": "ulock", "spin": "rival",     # of lifo
             "libatomic": "native"}
    if lock in named:
        return named[lock]
    for start, name in (("furwock-", "furwock-kin"), ("pthread-", "pthread-kin"),
                        ("futex", "futex"), ("ulock", "ulock")):
        if lock.startswith(start):
            return name
    if lock.startswith("("):
        return "soft"
    if lock in ("usema", "smpl", "gustedt", "gustedt-text", "drepper", "spin-yield", "wake-all",
                "listing1"):
        return "classic"
    return "rival"


def colour(lock):
    return ink(colour_name(lock))


def weight(lock):
    """(line width, drawing order): furwock over pthread over its kin over all others."""
    name = colour_name(lock)
    return {"furwock": (2.4, 9), "pthread": (1.8, 8), "furwock-kin": (1.4, 7),
            "pthread-kin": (1.1, 6), "sysv": (1.3, 5), "native": (1.8, 8)}.get(name, (1.0, 4))


def markers(locks):
    """{lock: marker}: furwock a disc, the others all different as far as there are markers."""
    others = [lock for lock in locks if lock != "furwock"]
    marks = {lock: MARKERS[1 + at % (len(MARKERS) - 1)] for at, lock in enumerate(others)}
    return {**marks, "furwock": MARKERS[0]}


def spread_labels(axes, labels, size=FONT - 1.5, x=1.0, gap=6):
    """Writes labels [(y, text, colour, bold)] at the right edge, pushed apart, each tied to its y.

    Call it after the limits of the axes are final.
    """
    figure = axes.figure
    step = size * 1.22 * figure.dpi / 72
    low, high = axes.transAxes.transform([(0, 0), (0, 1)])[:, 1]
    dots = sorted((axes.transData.transform((0, y))[1], y, text, colour, bold)
                    for y, text, colour, bold in labels)
    points = _pushed_apart([p[0] for p in dots], step, low, high)
    axes.side_labels = []
    for point, (_, y, text, colour_, bold) in zip(points, dots):
        at = axes.transAxes.inverted().transform((0, point))[1]
        from_ = axes.transAxes.inverted().transform(axes.transData.transform((0, y)))[1]
        beside = x + gap / 100 * 1.6
        # An arrow of annotate() takes a hundred times as long to draw as a line.
        axes.add_patch(PathPatch(
            Path([(x, from_), (x + (beside - x) * TIE, at)]), transform=axes.transAxes,
            fill=False, lw=0.5, edgecolor=colour_, alpha=0.7, clip_on=False))
        axes.side_labels.append(axes.text(
            beside, at, text, transform=axes.transAxes, fontsize=size, color=colour_,
            va="center", fontweight="bold" if bold else "normal"))


def make_room(figure, pad=6):
    """Panels as wide as the labels beside them leave room for: none is cut off, nor does any reach
    into the scale of the next panel."""
    named = [axes for axes in figure.axes if getattr(axes, "side_labels", None)]
    if not named:
        return
    renderer, whole = figure.canvas.get_renderer(), figure.bbox.width
    columns = named[0].get_subplotspec().get_gridspec().ncols
    scale = [0.0] * columns
    for axes in figure.axes:
        if axes.get_visible():
            at = axes.get_subplotspec().colspan.start
            scale[at] = max(scale[at], axes.bbox.x0 - axes.yaxis.get_tightbbox(renderer).x0)
    for _ in range(2):          # where labels begin depends on the width of a panel
        beside = [0.0] * columns
        for axes in named:
            if axes.get_visible():
                at = axes.get_subplotspec().colspan.start
                beside[at] = max([beside[at]] + [
                    label.get_window_extent(renderer).x1 - axes.bbox.x1
                    for label in axes.side_labels])
        gap = max(map(sum, zip(beside, scale[1:])), default=0) + pad
        left, right = figure.subplotpars.left * whole, beside[-1] + pad
        width = (whole - left - right - gap * (columns - 1)) / columns
        figure.subplots_adjust(right=1 - right / whole, wspace=gap / width)


def _pushed_apart(points, step, low, high):
    """The ascending points moved as little as needed to be `step` apart, within low..high."""
    runs = []                     # [sum, count] of wanted first points: runs that touch are one
    for at, point in enumerate(points):
        runs.append([point - at * step, 1])
        while len(runs) > 1 and runs[-2][0] / runs[-2][1] > runs[-1][0] / runs[-1][1]:
            total, count = runs.pop()
            runs[-1][0] += total
            runs[-1][1] += count
    bases = [total / count for total, count in runs for _ in range(count)]
    top = max(high - (len(points) - 1) * step, low)
    return [max(min(base, top), low) + at * step for at, base in enumerate(bases)]


def tell_of_wide(figure):
    """Its small print says what is pale there: call it before note()."""
    figure.has_wide = True


def note(figure, text):
    """A line of small print under a picture."""
    if getattr(figure, "has_wide", False):
        text += f"  Pale: the interval is wider than ±{WIDE:.0%}."
    figure.text(0.01, 0.004, text, fontsize=FONT - 2, color=ink("soft"), va="bottom")


def write_png(figure, path):
    figure.savefig(path, dpi=DPI, facecolor="#ffffff")


def save(figure, name, directory):
    """Writes NAME.png into the directory and returns the picture as SVG for the page."""
    make_room(figure)
    write_png(figure, directory / f"{name}.png")
    plt.rcParams["svg.hashsalt"] = name
    text = io.StringIO()
    figure.savefig(text, format="svg", facecolor="none", metadata={"Date": None})
    plt.close(figure)
    return themed(text.getvalue(), name)


def themed(svg, name):
    """An SVG element for the page: colours as CSS variables, its ids its own, sized by its box."""
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    for key, (light, _) in COLOURS.items():
        svg = svg.replace(light, f"var(--{key})")
    svg = re.sub(r"\d+\.\d{3,}", lambda m: f"{float(m[0]):.5g}", svg)
    # Glyphs are the same in all pictures; every other id belongs to one of them.
    svg = re.sub(r'( id="|href="#|url\(#)(?!DejaVu)', rf"\1{name}-", svg)
    svg = re.sub(r"\s*\n\s*", "\n", svg)
    return re.sub(r'<svg[^>]*?viewBox="([^"]*)"[^>]*>',
                  r'<svg xmlns="http://www.w3.org/2000/svg" '
                  r'xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="\1" role="img">',
                  svg, count=1)


def css():
    """The variables of the colours, for light, dark and print."""
    light = "".join(f"--{name}:{pair[0]};" for name, pair in COLOURS.items())
    dark = "".join(f"--{name}:{pair[1]};" for name, pair in COLOURS.items())
    return (f":root{{color-scheme:light dark;{light}}}\n"
            f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n")

