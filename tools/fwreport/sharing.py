# SPDX-License-Identifier: MIT
"""Read-write locks over the share of reads (Figure 6), each beside the best of its own kind.

A lock that lets readers pass waiting writers does more than one that starves nobody, at the
writers' expense; which locks are of one kind is in bench/ulockflex/flex/prefer.py.
"""

from collections import namedtuple

from . import compare, paper

EXPERIMENT = "share"
PTHREAD_RW = "pthread-rw"
# Those that are held to a goal.  furwock-br is for data that is almost only read: it is shown.
JUDGED = ("furwock-rw", "furwock-rw-readers", "furwock-rw-writers", "furwock-rw-greedy")
OURS = JUDGED + ("furwock-br",)
# Of pthread_rwlock's read lock + unlock that nobody else wants.
READ_MOST = {"furwock-rw": 0.75, "furwock-br": 0.3}

# One spot: our lock, its best rival's name, the ratio of throughput to it.
Versus = namedtuple("Versus", "spot lock rival ratio")


def best_rival(results, cell):
    """The cell of the fastest rival that prefers what this cell's lock prefers, or None."""
    rivals = [c for c in results.at(cell.spot)
              if paper.prefer.rivals(cell.preference, c.family, c.preference)]
    return max(rivals, key=lambda c: c.mean("throughput"), default=None)


def all_versus(results, lock, kind="threads"):
    """Versus wherever the lock and a rival of its kind were measured."""
    found = []
    for spot in results.spots(EXPERIMENT, kind):
        ours = results.cell(spot, lock)
        rival = best_rival(results, ours) if ours else None
        if rival:
            found.append(Versus(spot, lock, rival.lock, compare.throughput_ratio(ours, rival)))
    return [v for v in found if v.ratio]


def points(results, kind):
    """{(nlht, lht): {tasks: spots by share}}, one lock for all tasks."""
    found = {}
    for spot in results.spots(EXPERIMENT, kind):
        if spot.locks == 1:
            found.setdefault((spot.nlht, spot.lht), {}).setdefault(spot.tasks, []).append(spot)
    order = sorted(found, key=lambda times: (times[1] / (sum(times) or 1), times))
    return {times: {tasks: sorted(spots, key=lambda spot: spot.share)
                    for tasks, spots in sorted(found[times].items())} for times in order}


def preference(results, lock):
    return next((cell.preference for (spot, name), cell in results.cells.items()
                 if name == lock and spot.experiment == EXPERIMENT), None)
