# SPDX-License-Identifier: MIT
"""Figure 6: throughput over the share of reads, and each of ours over the best of its kind."""

import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter

from .. import aims, look, paper, sharing, stats
from . import Picture, cells, engine, spread_at
from .by_tasks import axes_grid, label_left, short_note, short_number

LINES = ["-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (7, 2, 2, 2))]
HUES = ("futex", "ulock", "classic", "sysv", "rival")
CLASSICS = ("furwock-classic", "ulock-shared")
BESIDE_CLASSICS = ("furwock-rw", sharing.PTHREAD_RW)
WORDS = {"fair": "neither starves", "readers": "readers first", "writers": "writers first"}
AGAINST = {"fair": "that starves nobody", "readers": "that prefers readers",
           "writers": "that prefers writers"}
ASIDE = 1.6      # how far the whiskers of the locks stand apart, in per cent of reads


def groups(results, kind):
    """[(short name, title, locks)]: one for each preference, and one as the paper drew it."""
    locks = results.locks(sharing.EXPERIMENT, kind)
    found = []
    for prefers in paper.prefer.KINDS:
        ours = [lock for lock in locks if results.family(lock) == "furwock"
                and sharing.preference(results, lock) == prefers]
        rivals = [lock for lock in locks if paper.prefer.rivals(
            prefers, results.family(lock), sharing.preference(results, lock))]
        if prefers == "fair":
            ours += [lock for lock in locks if lock == "furwock-br" and lock not in ours]
        if ours:
            found.append((prefers, WORDS[prefers], ours + rivals))
    classics = [lock for lock in CLASSICS if lock in locks]
    if classics:
        found.append(("classics", "the locks of the paper", classics + [
            lock for lock in BESIDE_CLASSICS if lock in locks]))
    return found


def styles(locks):
    """{lock: (colour, line style, width)}: a line style for each lock."""
    hues = iter(HUES * len(locks))
    found = {}
    for at, lock in enumerate(locks):
        name = look.colour_name(lock)
        if lock in sharing.JUDGED:
            name = "furwock"
        elif name not in ("furwock-kin", "pthread-kin") or lock in CLASSICS:
            name = next(hues)
        elif lock == sharing.PTHREAD_RW:
            name = "pthread"
        found[lock] = (look.ink(name), LINES[at % len(LINES)], 2.2 if name == "furwock" else 1.2)
    return found


def _curve(axes, results, spots, lock, style, shift):
    dots = [(spot.share + shift, stats.mean(cell.values("throughput"))) for spot in spots
              for cell in [results.cell(spot, lock)] if cell]
    colour, dashes, width = style
    last = engine.line(axes, dots, color=colour, lw=width, ls=dashes, elinewidth=0.7, capsize=1.5,
                       capthick=0.7, zorder=9 if width > 2 else 4)
    return None if last is None else (last, lock, colour, width > 2)


def over_share(results, kind, times, by_tasks, group):
    """As the paper drew it, but with a panel for each number of tasks."""
    name, title, locks = group
    figure, all_axes = axes_grid(len(by_tasks))
    marks = styles(locks)
    for axes, (tasks, spots) in zip(all_axes, by_tasks.items()):
        labels = [_curve(axes, results, spots, lock, marks[lock],
                         ASIDE * (at / max(1, len(locks) - 1) - 0.5))
                  for at, lock in enumerate(locks)]
        highest = max((label[0] for label in labels if label), default=1)
        highest = max([highest] + engine.highest(axes))
        axes.set_title(f"{tasks} tasks")
        axes.set_xlim(-2, 102)
        axes.set_ylim(0, 1.06 * highest)
        axes.set_xlabel("lock calls that are for reading, %")
        axes.yaxis.set_major_formatter(FuncFormatter(short_number))
        look.spread_labels(axes, [label for label in labels if label])
    label_left(all_axes, "iterations per second")
    shown = f"({times[0]:g},{times[1]:g})"
    drawn = [spot for spots in by_tasks.values() for spot in spots]
    look.note(figure, spread_at(results, drawn, "throughput") + short_note(results, drawn)
              + f"  Configuration {shown}: µs outside the lock and inside, on average.")
    return Picture(f"share-{name}-{times[0]:g}-{times[1]:g}-{kind}", figure,
                   f"Figure 6, {shown}: throughput over the share of reads, {title} ({kind})",
                   f"Iterations per second of {len(locks)} read-write locks against the share of "
                   "read locks, a panel for each number of tasks.")


def _map(axes, found, rows, columns, last):
    for y, tasks in enumerate(rows):
        for x, share in enumerate(columns):
            v = found.get((tasks, share))
            if v is None:
                continue
            cells.draw_cell(axes, x, y, v.ratio, v.rival, None)
            if v.ratio.value < aims.SHARE_LEAST and v.lock in sharing.JUDGED:
                axes.add_patch(Rectangle((x - 0.46, y - 0.45), 0.92, 0.9, zorder=5, lw=1.5,
                                         facecolor="none", edgecolor="#b3261f"))
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xticks(range(len(columns)), [f"{share:g}" for share in columns])
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylabel("tasks")
    engine.bare(axes)
    if last:
        axes.set_xlabel("lock calls that are for reading, %")


def against_kind(results, kind, times, by_tasks):
    """A map for each of our locks: over the best rival with the same preference."""
    shares = sorted({spot.share for spots in by_tasks.values() for spot in spots})
    here = {spot for spots in by_tasks.values() for spot in spots}
    maps = []
    for lock in sharing.OURS:
        found = {(v.spot.tasks, v.spot.share): v for v in sharing.all_versus(results, lock, kind)
                 if v.spot in here}
        if found:
            maps.append((lock, found))
    if not maps:
        return None
    rows = list(by_tasks)
    height = len(maps) * (0.4 * len(rows) + 0.5) + 0.6
    figure, all_axes = plt.subplots(len(maps), 1, figsize=(10.4, height), squeeze=False)
    figure.subplots_adjust(left=0.06, right=0.995, top=1 - 0.34 / height, bottom=0.66 / height,
                           hspace=0.5 / (0.4 * len(rows)) + 0.12)
    for at, (axes, (lock, found)) in enumerate(zip(all_axes.flat, maps)):
        _map(axes, found, rows, shares, at == len(maps) - 1)
        prefers = sharing.preference(results, lock)
        axes.set_title(f"{lock} / best rival {AGAINST.get(prefers, AGAINST['fair'])}, named")
    shown = f"({times[0]:g},{times[1]:g})"
    look.note(figure, f"Throughput ratios.  Framed: below {aims.SHARE_LEAST}, the goal of all "
                      "but furwock-br, which is for data almost only read.  Colours end at 0.5 "
                      "and 2.")
    return Picture(f"share-cells-{times[0]:g}-{times[1]:g}-{kind}", figure,
                   f"Figure 6, {shown}, cell by cell ({kind})",
                   "Heat maps of the throughput of furwock's read-write locks over that of the "
                   "best rival with the same preference, by tasks and share of reads.")


def draw(results):
    pictures = []
    for kind in results.kinds(sharing.EXPERIMENT):
        for times, by_tasks in sharing.points(results, kind).items():
            pictures.append(against_kind(results, kind, times, by_tasks))
            if any(len(spots) > 1 for spots in by_tasks.values()):
                pictures += [over_share(results, kind, times, by_tasks, group)
                             for group in groups(results, kind)]
    return [picture for picture in pictures if picture]
