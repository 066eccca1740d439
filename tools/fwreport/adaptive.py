# SPDX-License-Identifier: MIT
"""ulockflex's plan `adaptive`: more tasks than CPUs, beside an ideal lock and beside locks
that poll for a fixed time or not at all, with the assist off and on."""

from . import compare, ideal, stats
from .compare import OURS, PTHREAD
from .outcome import interval

EXPERIMENT = "adaptive"
TITLE = "more tasks than CPUs"
FIXED, BLOCK = "furwock-spin7", "furwock-block"
SHOWN = (OURS, FIXED, BLOCK, PTHREAD, "pthread-adaptive")
MICRO = 1000
METHOD = ("The plan adaptive: sections of a microsecond and longer, 2 to 4 tasks per CPU. The "
          "ideal lock is simulated: it costs nothing, and no CPU is idle while a task can "
          "run. Where a loop without a lock was run in each round, its speed there is the ideal "
          "lock's, too; in older results it is that of the calibration, some per cent off. "
          "Burnt is the CPU time of an acquisition that was not the work between it and the "
          "next. Where the assist was turned off and on, each configuration was measured in "
          "both states within a round.")


def spots(results, state=...):
    """Short loops first; with the assist off, on, or (by default) in any state."""
    found = [spot for spot in results.spots(EXPERIMENT) if state in (..., spot.assist)]
    return sorted(found, key=lambda s: (s.nlht + s.lht, s.lht, s.tasks))


def states(results):
    """Those that were measured, off before on."""
    return sorted({spot.assist for spot in spots(results)}, key=lambda state: state is not None)


def evaluated(results):
    """The state for which the goals are meant, where there are several: on."""
    return (states(results) or [None])[-1]


def state_words(state):
    return "assist on" if state else "assist off"


def ideal_rate(results, spot):
    return ideal.rate(results, spot)


def share(results, spot, lock):
    """Throughput over the ideal lock's; None where it was not measured."""
    cell = results.cell(spot, lock)
    return ideal.share(results, spot, cell) if cell else None


def ratio(results, spot, lock, base, metric="throughput"):
    above, below = results.cell(spot, lock), results.cell(spot, base)
    if above is None or below is None:
        return None
    return stats.ratio(above.by_round(metric), below.by_round(metric))


def burnt(results, spot, lock):
    """Nanoseconds per acquisition.  Work that was calibrated in a slow moment may seem to have
    cost less than nothing: that is nothing."""
    cell = results.cell(spot, lock)
    found = stats.mean(cell.values("burnt_ns")) if cell else None
    return found and stats.Estimate(*(None if x is None else max(0.0, x) for x in found[:3]),
                                    found.n)


def on_over_off(results, spot, lock, metric):
    """What the assist changes at a point; None where it was measured in one state only."""
    on, off = (results.cell(spot._replace(assist=state), lock) for state in ("on", None))
    if on is None or off is None:
        return None
    return stats.ratio(on.by_round(metric), off.by_round(metric))


# --- Tables ------------------------------------------------------------------------------------

def _words(spot):
    return [spot.tasks, compare.configuration(spot)]


def _shown(results, state):
    there = {cell.lock for spot in spots(results, state) for cell in results.at(spot)}
    return [lock for lock in SHOWN if lock in there]


def _micro(estimate):
    return "-" if estimate is None else f"{estimate.value / MICRO:.2f}"


def _share_table(results, state):
    names = _shown(results, state)
    rows = []
    for spot in spots(results, state):
        rival = compare.best_blocking_rival(results, spot)
        best = share(results, spot, rival.lock) if rival else None
        rows.append([*_words(spot), f"{ideal_rate(results, spot) / 1000:.1f}",
                     *(interval(share(results, spot, lock)) for lock in names),
                     f"{best.value:.2f} {rival.lock}" if best else "-",
                     interval(ratio(results, spot, OURS, PTHREAD))])
    return (f"{TITLE}, {state_words(state)}: throughput as a share of an ideal lock's",
            ["tasks", "(nlht,lht)", "ideal, 1000/s", *names, "best rival", f"of {PTHREAD}"], rows)


def _cost_table(results, state):
    names = _shown(results, state)
    rows = []
    for spot in spots(results, state):
        cells = [results.cell(spot, lock) for lock in names]
        switches = [cell.mean("vcsw") if cell else None for cell in cells]
        forced = [cell.mean("ivcsw") if cell else None for cell in cells]
        rows.append([*_words(spot), *(_micro(burnt(results, spot, lock)) for lock in names),
                     interval(ratio(results, spot, OURS, FIXED, "cpu_ns")),
                     *("-" if a is None else f"{a:.2f} + {b or 0:.2f}"
                       for a, b in zip(switches, forced))])
    return (f"{TITLE}, {state_words(state)}: CPU time burnt for an acquisition (µs), and "
            "context switches (voluntary + involuntary)",
            ["tasks", "(nlht,lht)", *names, f"CPU of {FIXED}",
             *(f"switches {lock}" for lock in names)], rows)


def _state_table(results):
    """What the assist changes for ours and, for comparison, for pthread."""
    rows = []
    for spot in spots(results, "on"):
        ratios = [on_over_off(results, spot, lock, metric)
                  for lock in (OURS, PTHREAD) for metric in ("throughput", "cpu_ns")]
        if any(ratios):
            rows.append([*_words(spot), *map(interval, ratios)])
    return (f"{TITLE}: with the assist over without",
            ["tasks", "(nlht,lht)", f"throughput {OURS}", f"CPU {OURS}", f"throughput {PTHREAD}",
             f"CPU {PTHREAD}"], rows)


def tables(results):
    """[(title, heads, rows)]"""
    found = [make(results, state) for state in states(results)
             for make in (_share_table, _cost_table)] + [_state_table(results)]
    return [one for one in found if one[2]]
