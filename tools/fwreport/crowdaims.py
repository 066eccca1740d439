# SPDX-License-Identifier: MIT
"""Goals as data, as in aims: waiting under more threads than CPUs, and the real-time locks."""

import math

from . import adaptive, compare, experiment, futexlock, lockmix, rtlatency, stats
from .compare import OURS, PTHREAD
from .outcome import MISSED, REACHED, UNKNOWN, Aim, Goal, Point, at_least, at_most, interval

# --- ulockflex's plan `adaptive`: waiting while the owner runs ----------------------------------

IDEAL_LEAST = 0.9               # of the ideal lock's throughput, in every cell
PTHREAD_LEAST = 1.3             # of pthread's, geometric mean
EQUAL_LEAST = 0.98              # of the fixed time's throughput: counts as no less
CPU_MOST = 1.02                 # then, of its CPU time for an acquisition
NOT_ADAPTIVE = "the plan adaptive was not measured"


def _spots(results):
    return [spot for spot in adaptive.spots(results, adaptive.evaluated(results))
            if results.cell(spot, OURS)]


def _adaptive_name(what):
    def name(results):
        state = adaptive.evaluated(results)
        return (f"{adaptive.TITLE}, {what}"
                + (f" ({adaptive.state_words(state)})" if _spots(results) else ""))
    return name


def _rival_share(results, spot):
    rival = compare.best_blocking_rival(results, spot)
    best = adaptive.share(results, spot, rival.lock) if rival else None
    return f", {rival.lock} {best.value:.2f}" if best else ""


def _ideal_shares(results):
    return [Point(compare.describe(spot), adaptive.share(results, spot, OURS),
                  _rival_share(results, spot)) for spot in _spots(results)]


def _mean_words(points):
    return f"cells, geometric mean {interval(stats.geometric([p.estimate for p in points]))}"


def _ideal(results):
    return [Aim(_adaptive_name("each cell"),
                f"at least {IDEAL_LEAST} of an ideal lock's throughput", IDEAL_LEAST, at_least,
                _ideal_shares, NOT_ADAPTIVE, _mean_words(_ideal_shares(results)))]


def _to_pthread(results):
    mean = stats.geometric([adaptive.ratio(results, spot, OURS, PTHREAD)
                            for spot in _spots(results)])
    return [Point("", mean, f", {mean.n} cells")] if mean else []


def _adaptive_costs(results):
    """(points, how many more there are): a lock that does more in the same time may burn more;
    where it does less, nothing is said of its CPU time, but how many such cells there are is."""
    points, slower = [], 0
    for spot in _spots(results):
        speed = adaptive.ratio(results, spot, OURS, adaptive.FIXED)
        cost = adaptive.ratio(results, spot, OURS, adaptive.FIXED, "cpu_ns")
        if speed is None or cost is None:
            continue
        if speed.value < EQUAL_LEAST:
            slower += 1
        else:
            points.append(Point(compare.describe(spot), cost, f" of {adaptive.FIXED}'s"))
    return points, slower


def _adaptive_cpu(results):
    points, slower = _adaptive_costs(results)
    return [Aim(_adaptive_name("CPU time of an acquisition"),
                f"at most {CPU_MOST} of {adaptive.FIXED}'s in each cell with no less throughput "
                "than that", CPU_MOST, at_most, lambda _: points,
                f"no cell with {adaptive.FIXED} to compare with" if _spots(results)
                else NOT_ADAPTIVE,
                _mean_words(points) + (f"; {slower} more with less throughput" if slower else ""))]


ADAPTIVE = [_ideal,
            Aim(_adaptive_name("geometric mean"), f"at least {PTHREAD_LEAST} of {PTHREAD}'s "
                "throughput", PTHREAD_LEAST, at_least, _to_pthread, NOT_ADAPTIVE, noun=""),
            _adaptive_cpu]

# --- futexlock: Hart's run ----------------------------------------------------------------------

HART_LEAST = 1.24               # 749 thousand iterations a second, against 606
FUTEXLOCK_EQUAL_WITHIN = 1.05   # times the throughput: no more than that is no advantage
FUTEXLOCK_CPU_MOST = 1.0


def _hart_point(one, point, cpus):
    most = futexlock.ideal(one, point, cpus)
    most = most and most / futexlock.speed(one, point, futexlock.NORMAL).value
    return Point("", futexlock.times(one, point, OURS, futexlock.NORMAL),
                 f"; a lock that costs nothing would have {most:.2f}" if most else "")


def _hart(results):
    """One goal; two where it was measured with the assist and without."""
    one = futexlock.found(results)
    there = [point for point in (one.points() if one else []) if point[:3] == futexlock.HART
             and futexlock.times(one, point, OURS, futexlock.NORMAL)]
    *series, threads = futexlock.HART
    name = f"{threads} threads, {futexlock.title(*series, None)}"
    return [Aim("futexlock, " + (futexlock.describe(point) if point else name),
                f"at least {HART_LEAST} of {futexlock.NORMAL}'s throughput", HART_LEAST, at_least,
                lambda results, point=point: [_hart_point(one, point, results.cpus)] if point
                else [], "not measured", noun="") for point in there or [None]]


def _futexlock_costs(results):
    one = futexlock.found(results)
    for point in one.points() if one else []:
        ratio = futexlock.times(one, point, OURS, futexlock.FIXED)
        if ratio and ratio.value <= FUTEXLOCK_EQUAL_WITHIN:
            yield Point(futexlock.describe(point), experiment.ratio(
                one.cell(point, OURS), one.cell(point, futexlock.FIXED), "cpu_seconds"))


FUTEXLOCK = [_hart, Aim("futexlock, CPU time per iteration",
                        f"where {futexlock.FIXED} is as fast or faster, no more than its",
                        FUTEXLOCK_CPU_MOST, at_most, _futexlock_costs, "no such point")]

# --- lockmix: oversubscription ------------------------------------------------------------------

PEAK_LEAST = 0.9                # of the lock's own best, with as many antagonists
LOCKMIX_PTHREAD_LEAST = 0.95
LOCKMIX_RIVAL_LEAST = 1.0       # of the best rival
LOCKMIX_EQUAL_LEAST = 0.95      # of the fixed-time spin's rate: then their CPU time is compared
LOCKMIX_CPU_MOST = 1.0          # of the fixed-time spin's, per acquisition
OVERSUBSCRIBED = "oversubscribed 4 and 16 times beside antagonists"


def _of_peak(one, point):
    best = lockmix.peak(one, point, OURS)
    return lockmix.of_peak(one, point, OURS), f"its rate with {best.threads}"


def _of_pthread(one, point):
    return lockmix.times(one, point, OURS, PTHREAD), PTHREAD


def _of_rival(one, point):
    return lockmix.of_best_rival(one, point, OURS)


def _assist_states(results):
    """Whether the assist was on, of what was measured: the goals hold with it and without."""
    one = lockmix.found(results)
    return sorted({point.assist == lockmix.ON for point in one.points()}) if one else [False]


def _by_assist(name, aim):
    """A goal for each state: aim(points that are in that state, its name)."""
    def aims(results):
        return [aim(results, name + (", assist on" if on else ""), on)
                for on in _assist_states(results)]
    return aims


def _crowded(want, bound, evaluated):
    def aim(results, name, on):
        one = lockmix.found(results)
        rated = [(point, *evaluated(one, point)) for point in lockmix.crowded(results)
                 if (point.assist == lockmix.ON) == on]
        return Aim(name, want, bound, at_least, lambda _: [
            Point(lockmix.describe(point), ratio, f" of {base}") for point, ratio, base in rated],
            "no such point measured")
    return _by_assist(OVERSUBSCRIBED, aim)


def _lockmix_cpu(results, name, on):
    one = lockmix.found(results)
    both = [(point, lockmix.times(one, point, OURS, lockmix.SPIN),
             lockmix.cpu_over(one, point, OURS, lockmix.SPIN))
            for point in one.points() if (point.assist == lockmix.ON) == on] if one else []
    both = [line for line in both if line[1] and line[2]]
    equal = [Point(lockmix.describe(point), cost, " of it") for point, rate, cost in both
             if rate.value >= LOCKMIX_EQUAL_LEAST]
    slower = len(both) - len(equal)
    return Aim(name, f"at equal throughput no more than {lockmix.SPIN}'s", LOCKMIX_CPU_MOST,
               at_most, lambda _: equal, f"no {lockmix.SPIN} beside it",
               "points" + (f"; {slower} more with less throughput than {LOCKMIX_EQUAL_LEAST} of it"
                           if slower else ""))


LOCKMIX = [_crowded(f"at least {PEAK_LEAST} of its own peak", PEAK_LEAST, _of_peak),
           _crowded(f"never below {LOCKMIX_PTHREAD_LEAST} of {PTHREAD}", LOCKMIX_PTHREAD_LEAST,
                    _of_pthread),
           _crowded("best of all rivals", LOCKMIX_RIVAL_LEAST, _of_rival),
           _by_assist("CPU time per acquisition, lockmix", _lockmix_cpu)]

# --- rtlatency: those of bench/rtlatency/goals.c, for the protocols with deferred updates -------

OF_PROTECT, OF_INHERIT = 0.03, 0.8      # of a pair that meets nobody
NO_CALLS = 0.001                        # system calls of such a pair: those of the end of the count
# Contended: the paper's worst change without page faults, and with them.
WORST = {"lock_taken": (1.37, 2.35), "unlock_taken": (1.18, 1.25)}
BY_FAULTS = "PCP-DU-PF"


def _pairs(results, figure):
    """[(point, protocol, figure)] of all with deferred updates."""
    one = rtlatency.found(results)
    every = [(point, cell.lock, figure(one, point, cell.lock))
             for point in rtlatency.points(one, rtlatency.PAIRS) for cell in one.at(point)
             if cell.lock in rtlatency.BASELINES] if one else []
    return [line for line in every if line[2] is not None]


def _pair_cost(base, most):
    def points(results):
        return [Point(f"{lock}, {rtlatency.title(point)}", ratio) for point, lock, ratio in _pairs(
            results, lambda one, point, lock: rtlatency.of(one, point, lock, base))]
    return Aim("real-time lock + unlock that meet nobody", f"at most {most} of {base}", most,
               at_most, points, f"not measured beside {base}", "pairs")


def _told(name, want, nobody, lines, high):
    """A goal of figures that have no interval: `high` are the lines of those that miss it."""
    return Goal(name, want, UNKNOWN if not lines else MISSED if high else REACHED,
                f"{len(lines) - len(high)} of {len(lines)}" if lines else nobody, high)


def _system_calls(results):
    lines = _pairs(results, rtlatency.calls)
    high = sorted((line for line in lines if line[2] > NO_CALLS), key=lambda line: -line[2])
    return [_told("system calls of such a pair", "none", "not counted", lines,
                  [f"{lock}, {rtlatency.title(point)}: {count:.3f}"
                   for point, lock, count in high])]


def _most(one, point, lock, sample):
    """The bound: the paper's own change, or where somebody is in the way its worst; or None."""
    if sample in WORST:
        return WORST[sample][lock == BY_FAULTS]
    return rtlatency.change(one, point, lock, sample, value=rtlatency.published)


def _changes(one):
    """[(point, protocol, sample, change, bound)] of the averages of Table 1."""
    for point in rtlatency.of_the_paper(one):
        for lock, _ in rtlatency.deferred(one, point):
            for sample in rtlatency.SAMPLES:
                now = rtlatency.change(one, point, lock, sample)
                most = _most(one, point, lock, sample)
                if now and most:
                    yield point, lock, sample, now, most


def _percent(ratio):
    return f"{100 * (ratio - 1):+.1f} %"


def _table1(results):
    """To the per cent: the paper gives no more."""
    one = rtlatency.found(results)
    every = list(_changes(one)) if one else []
    for words, want, is_meant in (
            ("free", "as much cheaper than the baseline as in the paper",
             lambda sample: sample not in WORST),
            ("contended", "no more expensive than the paper's worst",
             lambda sample: sample in WORST)):
        lines = [line for line in every if is_meant(line[2])]
        high = sorted((line for line in lines
                       if 100 * (line[3] - 1) > math.ceil(100 * (line[4] - 1))),
                      key=lambda line: line[4] - line[3])
        yield _told(f"Table 1, averages, {words}", want, "no periodic tasks measured", lines,
                    [f"{lock}, {rtlatency.title(point)}, {rtlatency.SAMPLES[sample]}: "
                     f"{_percent(now)}, at most {_percent(most)}"
                     for point, lock, sample, now, most in high])


REAL_TIME = [_pair_cost(rtlatency.PROTECT, OF_PROTECT), _pair_cost(rtlatency.INHERIT, OF_INHERIT),
             _system_calls, _table1]
