# SPDX-License-Identifier: MIT
"""Goals as data: what is to be reached, and on which points.  Read-write locks, generic atomics,
condition variables, locks between processes; those under more threads than CPUs are in crowdaims.

An entry of a table is an Aim, or a function of the results that gives Aims.
"""

from . import between, compare, experiment, lifo, mix, sharing, stats
from .between import table3
from .compare import OURS, PTHREAD
from .outcome import Aim, Point, at_least, at_most


def _one(estimate, more=""):
    return [Point("", estimate, more)] if estimate else []


# --- read-write locks: the grid of Figure 6, and the price of an idle read lock -----------------

SHARE_LEAST = 0.95              # of the best rival with the same preference


def _read_alone(lock):
    def points(results):
        table = results.objects.get("read")
        return _one(table and table.ratio(lock, sharing.PTHREAD_RW))
    return points


def _figure6(lock):
    def points(results):
        return [Point(compare.describe(v.spot), v.ratio, f" of {v.rival}")
                for v in sharing.all_versus(results, lock)]
    return points


SHARE = [Aim(f"uncontended read lock + unlock: {lock}",
             f"at most {bound} of {sharing.PTHREAD_RW}", bound, at_most, _read_alone(lock),
             "no uncontended result", noun="")
         for lock, bound in sharing.READ_MOST.items()]
SHARE += [Aim(f"Figure 6, each cell: {lock}",
              f"at least {SHARE_LEAST} of the best rival with the same preference", SHARE_LEAST,
              at_least, _figure6(lock), "no cells with such a rival", "cells")
          for lock in sharing.JUDGED]

# --- the generic atomics: stacks, and single calls ----------------------------------------------

LIFO_NATIVE_LEAST, LIFO_MUTEX_LEAST = 1.6, 1.4  # with 1 and 2 threads per CPU: the paper's claim
ATOMIC_BOUNDS = {"time_at_most": at_most, "times_at_least": at_least}   # as atomicmix names them


def _stacks(*bases, fits):
    def points(results):
        return [Point(lifo.describe(point), ratio, f" of {base}") for base in bases
                for point, ratio in lifo.evaluated(results, base,
                                                   lambda point: fits(point, results.cpus))]
    return points


def _is_large(point, _cpus):
    return point.head > lifo.PAIR


def _is_claimed(point, cpus):
    return point.head > lifo.PAIR and point.threads in (cpus, 2 * cpus)


def _claimed_threads(results):
    return f"lifo, {results.cpus} and {2 * results.cpus} threads"


def _lifo_aim(name, want, bound, points):
    """Of one ratio, the ratio is told."""
    def one_or_all(results):
        noun = "" if len(points(results)) == 1 else "ratios"
        return [Aim(name, want, bound, at_least, points, "no stack measured", noun)]
    return one_or_all


LIFO = [_lifo_aim(_claimed_threads, f"at least {bound} of {base}", bound,
                  _stacks(base, fits=_is_claimed))
        for base, bound in ((lifo.NATIVE, LIFO_NATIVE_LEAST), (lifo.MUTEX, LIFO_MUTEX_LEAST))]
LIFO += [_lifo_aim("lifo, any number of threads", f"never below {lifo.NATIVE} or {lifo.MUTEX}",
                   1.0, _stacks(lifo.NATIVE, lifo.MUTEX, fits=_is_large)),
         _lifo_aim(f"lifo, head of {lifo.PAIR} bytes", f"never slower than {lifo.NATIVE}", 1.0,
                   _stacks(lifo.NATIVE, fits=lambda point, _cpus: point.head == lifo.PAIR))]


def _mix_cells(one):
    """[(point, side, bound)] of the points to which the benchmark gives a goal, and both libraries
    were measured."""
    return [(point, ATOMIC_BOUNDS[kind], float(bound))
            for point in (one.points() if one else [])
            if one.cell(point, OURS) and mix.time(one, point)
            for kind, bound in one.cell(point, OURS).goal.items() if kind in ATOMIC_BOUNDS]


def _no_mix(results):
    one = mix.found(results)
    if not one:
        return "not measured"
    return f"no {mix.BASE} beside it" if mix.BASE not in one.locks() else "no such point"


def _atomic_object(one, point, side, bound):
    name = f"atomic object of {mix.describe(point)}"
    if side is at_most:
        return Aim(name, f"at most {bound:g} of {mix.BASE}'s time", bound, side,
                   lambda _: _one(mix.time(one, point)), "", noun="", digits=3)
    return Aim(name, f"at least {bound:g} times {mix.BASE}'s throughput", bound, side,
               lambda _: _one(mix.times(one, point)), "", noun="", digits=1)


def _atomic_objects(results):
    """Objects that instructions cannot handle: a goal for each point."""
    one = mix.found(results)
    return [_atomic_object(one, *cell) for cell in _mix_cells(one)
            if cell[0].size != mix.PAIR] or [
        Aim("atomic objects without an instruction", f"less time than {mix.BASE}", None, at_most,
            lambda _: [], _no_mix)]


def _atomic_pairs(results):
    one = mix.found(results)
    return [Point(mix.describe(point), mix.time(one, point), "", bound)
            for point, side, bound in _mix_cells(one)
            if point.size == mix.PAIR and side is at_most]


MIX = [_atomic_objects, Aim(f"atomic objects of {mix.PAIR} bytes", f"never slower than {mix.BASE}",
                            None, at_most, _atomic_pairs, _no_mix, digits=3)]

# --- condition variables: condperf and pingpong -------------------------------------------------

WAKE_RIVAL_MOST = 1.0           # of the best rival's time, everywhere
WAKE_MEAN_MOST, WAKE_MEAN_MOST_MANY = 0.97, 0.6         # of pthread's time, geometric mean
MANY_CPUS = 8                   # from this number on, the second of these holds
SWITCHES_MOST = 1.1             # per woken waiter
PAIRS_MOST, GAMES_MOST = 0.8, 1.0       # of pthread's time: one game per CPU, and anywhere


def describe_wake(point):
    """A point of condperf or pingpong in words."""
    if hasattr(point, "games"):
        return f"{point.games} game{'s' * (point.games != 1)}"
    text = f"{point.waiters} waiters, {point.section_us} us"
    if point.wake != "broadcast":
        text += f", {point.wake}"
    return text if point.locked else text + ", without the mutex"


def broadcasts(found):
    """The points that the goals speak of: a broadcast, the mutex held."""
    return [point for point in (found.points() if found else [])
            if point.wake == "broadcast" and point.locked and found.cell(point, OURS)]


def _broadcast_times(results):
    found = results.experiments.get("condperf")
    for point in broadcasts(found):
        rival = found.best_rival(point)
        if rival:
            yield Point(describe_wake(point), experiment.ratio(found.cell(point, OURS), rival),
                        f" of {rival.lock}")


def _broadcast_mean(results):
    found = results.experiments.get("condperf")
    pairs = [(found.cell(point, OURS), found.cell(point, PTHREAD)) for point in broadcasts(found)
             if found.cell(point, PTHREAD)]
    mean = experiment.overall(pairs) if pairs else None
    return _one(mean, f", {mean.n} point{'s' * (mean.n != 1)}" if mean else "")


def _mean_bound(results):
    return WAKE_MEAN_MOST_MANY if results.cpus >= MANY_CPUS else WAKE_MEAN_MOST


def _mean_aim(results):
    bound = _mean_bound(results)
    return [Aim("broadcast, geometric mean",
                f"below {bound} of {PTHREAD}'s time on {results.cpus} CPUs", bound, at_most,
                _broadcast_mean, "no broadcasts measured", noun="", digits=3)]


def _switches(results):
    found = results.experiments.get("condperf")
    for point in broadcasts(found):
        other = found.cell(point, PTHREAD)
        theirs = other and other.switches()
        yield Point(describe_wake(point), found.cell(point, OURS).switches(),
                    f", {PTHREAD}'s {theirs.value:.2f}" if theirs else "")


def _switches_noun(results):
    """What the points are called, and the most of them."""
    found = results.experiments.get("condperf")
    cells = [found.cell(point, OURS) for point in broadcasts(found)]
    most = max((cell.switches().value for cell in cells if cell.switches()), default=0)
    asleep = max((cell.median("vcsw").value for cell in cells if cell.switches()), default=0)
    return f"points, at most {most:.2f} ({asleep:.2f} of them voluntary)"


def _switches_aim(results):
    return [Aim("context switches per woken waiter", f"at most {SWITCHES_MOST}", SWITCHES_MOST,
                at_most, _switches, "no broadcasts measured", _switches_noun(results))]


def _games(results, of_cpus=False):
    found = results.experiments.get("pingpong")
    for point in found.points() if found else []:
        if not of_cpus or point.games == results.cpus:
            yield Point(describe_wake(point), experiment.ratio(found.cell(point, OURS),
                                                               found.cell(point, PTHREAD)))


def _paired_games(results):
    """Of one point, which the goal names."""
    return [point._replace(words="") for point in _games(results, of_cpus=True)]


WAKES = [
    Aim("broadcast, each point", "never slower than the best rival", WAKE_RIVAL_MOST, at_most,
        _broadcast_times, "no broadcasts measured"),
    _mean_aim, _switches_aim,
    Aim("ping-pong, one game per CPU", f"at most {PAIRS_MOST} of {PTHREAD}'s time", PAIRS_MOST,
        at_most, _paired_games, "not played", noun=""),
    Aim("ping-pong, any number of games", f"never above {GAMES_MOST} of {PTHREAD}'s time",
        GAMES_MOST, at_most, _games, "not played")]

# --- locks between processes --------------------------------------------------------------------

BETWEEN_LEAST, BETWEEN_MEAN_LEAST = 1.0, 1.2    # of the robust mutex's throughput
# object of `uncontended`: (what it is, whose, at most so much of their time)
ALONE = (("ipc-mutex", "lock + unlock", between.ROBUST, 0.8),
         ("ipc-mutex", "lock + unlock", between.PLAIN, 1.5),
         ("ipc-read", "read lock + unlock", "pthread-rw", 0.8))


def _between(results):
    return [Point(compare.describe(v.spot), v.ratio) for v in between.all_versus(results)]


def _between_mean(results):
    """It needs no words where there is nothing: then the goal before it says so."""
    if not between.all_versus(results):
        return []
    return [Aim("between processes, geometric mean",
                f"at least {BETWEEN_MEAN_LEAST} of {between.ROBUST}", BETWEEN_MEAN_LEAST, at_least,
                lambda _: _one(stats.geometric([v.ratio for v in between.all_versus(results)])),
                "", noun="")]


def _alone(key, what, other, most):
    def points(results):
        table = results.objects.get(key)
        return _one(table and table.ratio(between.OURS, other))
    return Aim(f"uncontended {what} between processes: {between.OURS}",
               f"at most {most} of {other}, shared with processes", most, at_most, points,
               "no uncontended result", noun="")


def _database(level, lock, base, bound):
    def points(results):
        found = between.database(results)
        return [Point("", between.time_ratio(found, point, lock, base))
                for point in (found.points() if found else []) if point.level == level]
    return Aim(f"tdbtorture, contention {level}, {lock}", f"time at most {bound:g} of {base}",
               bound, at_most, points, "no result of tdbtorture", noun="")


BETWEEN = [
    Aim("between processes, each cell of the paper's grid",
        f"at least {BETWEEN_LEAST:g} of {between.ROBUST}", BETWEEN_LEAST, at_least, _between,
        f"no cells of {between.OURS} between processes", "cells"),
    _between_mean, *(_alone(*row) for row in ALONE),
    *(_database(level, *row) for level, most in table3.MOST.items()
      for row in ((table3.OURS, table3.BASE, most),
                  (table3.LIKE, table3.MUTEX, table3.MUTEX_MOST)))]
