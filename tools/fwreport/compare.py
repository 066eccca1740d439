# SPDX-License-Identifier: MIT
"""furwock against the others, spot by spot."""

from collections import namedtuple

from . import stats

OURS, FAIR, PTHREAD = "furwock", "furwock-fair", "pthread"

# One spot: ratios of throughput to the best blocking rival (and its name) and to pthread; short:
# any of them was measured for less than some turns of the scheduler, which decides nothing.
Versus = namedtuple("Versus", "spot rival to_rival to_pthread short")
SHORT = "?"
SHORT_TEXT = f"{SHORT}: runs shorter than some turns of the scheduler, which say little"


def best_blocking_rival(results, spot):
    """The cell of the fastest rival whose waiters sleep in the kernel, by mean throughput."""
    rivals = [c for c in results.at(spot) if c.family == "rival" and c.blocks]
    return max(rivals, key=lambda c: c.mean("throughput"), default=None)


def throughput_ratio(above, below):
    if above is None or below is None:
        return None
    return stats.ratio(above.by_round("throughput"), below.by_round("throughput"))


def versus(results, spot):
    """Versus at one spot, or None where furwock was not measured."""
    ours = results.cell(spot, OURS)
    if ours is None:
        return None
    rival = best_blocking_rival(results, spot)
    pthread = results.cell(spot, PTHREAD)
    return Versus(spot, rival.lock if rival else None, throughput_ratio(ours, rival),
                  throughput_ratio(ours, pthread),
                  any(cell.short for cell in (ours, rival, pthread) if cell))


def all_versus(results, experiment, kind="threads"):
    found = (versus(results, spot) for spot in results.spots(experiment, kind))
    return [v for v in found if v is not None]


def long_enough(all_vs):
    """Those of which goals and headlines may speak."""
    return [v for v in all_vs if not v.short]


def configuration(spot):
    """The paper's way to write a configuration: (non-lock-hold, lock-hold) in microseconds."""
    return f"({spot.nlht:g},{spot.lht:g})"


def describe(spot):
    locks = "" if spot.locks == 1 else f", {spot.locks} locks"
    if spot.pick == "random":
        locks += " at random"
    kind = "" if spot.kind == "threads" else f", {spot.kind}"
    share = "" if spot.share is None else f", {spot.share:g} % reads"
    assist = f", assist {spot.assist}" if spot.assist else ""
    return (f"{configuration(spot)} {spot.tasks} task{'s' * (spot.tasks != 1)}{locks}{kind}{share}"
            f"{assist}")
