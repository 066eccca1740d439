# SPDX-License-Identifier: MIT
"""lockmix: rates and CPU time over the number of threads, with and without antagonists."""


from .. import compare, lockmix, look
from . import Picture, spread_of
from .engine import beside, row_of_panels, step_axis
from .wakes import MEDIANS, ratio_axis

BOLD = (compare.OURS, compare.PTHREAD, lockmix.SPIN)
PANELS = 3      # in a picture; more numbers of antagonists than that are in the tables only


def _panel(axes, one, points, value, cpus):
    """All locks over the threads, a little beside each other."""
    locks = [lock for lock in one.locks() if any(one.cell(point, lock) for point in points)]
    labels = beside(axes, len(points), locks, lambda at, lock: value(points[at], lock), BOLD)
    step_axis(axes, [f"{point.threads}" + ("\n1 per CPU" if point.threads == cpus else "")
                     for point in points], "threads")
    return labels


def _picture(one, sets, name, title, alt, value, finish, cpus):
    """A panel for each number of antagonists."""
    sets = sets[:PANELS]
    figure, every = row_of_panels(len(sets), (10.4, 3.8), left=0.065, right=0.885, top=0.9,
                                  bottom=0.19, wspace=0.5)
    for axes, (group, points) in zip(every, sets):
        labels = _panel(axes, one, points, value, cpus)
        finish(axes)
        axes.set_title(f"{group[2] or 'no'} antagonist{'s' * (group[2] != 1)}")
        look.spread_labels(axes, labels, gap=2 * len(sets))
    every[0].set_ylabel(alt.split(",")[0])
    look.note(figure, MEDIANS + spread_of(one))
    return Picture(name, figure, title, alt)


def _logarithmic(axes):
    axes.set_yscale("log")


def draw(results):
    one = lockmix.found(results)
    if not one:
        return []
    kinds = {}
    for group, points in lockmix.groups(one).items():
        kinds.setdefault((*group[:2], group[4]), []).append((group, points))
    pictures = []
    for (mode, zipf, assist), sets in kinds.items():
        name = f"lockmix-{mode}" + (f"-zipf{zipf:g}" if len(
            {other for kind, other, _ in kinds if kind == mode}) > 1 else "")
        words = f"{lockmix.MODES.get(mode, mode)}" + (f", Zipf {zipf:g}" if zipf else "")
        if assist == lockmix.ON:
            name, words = f"{name}-assist", f"{words}, assist on"
        pictures.append(_picture(
            one, sets, name, f"More threads than CPUs, {words}: rate over pthread's",
            "rate / pthread's, by the number of threads, beside antagonists and without",
            lambda point, lock: lockmix.times(one, point, lock, compare.PTHREAD), ratio_axis,
            results.cpus))
        pictures.append(_picture(
            one, sets, name + "-cpu", f"The same: CPU time per acquisition, {words}",
            "ns per acquisition, of all threads, by the number of threads",
            lambda point, lock: lockmix.cpu(one, point, lock), _logarithmic, results.cpus))
    return pictures
