# SPDX-License-Identifier: MIT
"""The goals of the condition variable, from condperf and pingpong.  Less time is better."""

from . import experiment
from .compare import OURS, PTHREAD
from .outcome import UNKNOWN, Goal, at_most, interval, worst

RIVAL_MOST = 1.0                # of the best rival's time, everywhere
MEAN_MOST, MEAN_MOST_MANY = 0.97, 0.6       # of pthread's time, geometric mean
MANY_CPUS = 8                   # from so many on, the second of these holds
SWITCHES_MOST = 1.1             # per woken waiter
PAIRS_MOST = 0.8                # of pthread's time, with one game per CPU
GAMES_MOST = 1.0                # with any other number of games


def describe(point):
    """A point of condperf or pingpong in words."""
    if hasattr(point, "games"):
        return f"{point.games} game{'s' * (point.games != 1)}"
    text = f"{point.waiters} waiters, {point.section_us} us"
    if point.wake != "broadcast":
        text += f", {point.wake}"
    return text if point.locked else text + ", without the mutex"


def broadcasts(found):
    """The points that the goals speak of: a broadcast, the mutex held."""
    return [point for point in found.points()
            if point.wake == "broadcast" and point.locked and found.cell(point, OURS)]


def _evaluate(name, want, evaluated, bound, nobody):
    """A goal about every point: `evaluated` are (point, estimate, what to add)."""
    if not evaluated:
        return Goal(name, want, UNKNOWN, nobody)
    above = sorted((x for x in evaluated if x[1].value > bound), key=lambda x: -x[1].value)
    return Goal(name, want, worst([at_most(estimate, bound) for _, estimate, _ in evaluated]),
                f"{len(evaluated) - len(above)} of {len(evaluated)} points",
                [f"{describe(point)}: {interval(estimate)}{more}"
                 for point, estimate, more in above])


def broadcast_time(results):
    found = results.experiments.get("condperf")
    points = broadcasts(found) if found else []
    evaluated, pairs = [], []
    for point in points:
        ours, rival = found.cell(point, OURS), found.best_rival(point)
        to_rival = experiment.ratio(ours, rival)
        if to_rival:
            evaluated.append((point, to_rival, f" of {rival.lock}"))
        if found.cell(point, PTHREAD):
            pairs.append((ours, found.cell(point, PTHREAD)))
    nobody = "no broadcasts measured"
    goals = [_evaluate("broadcast, each point", "never slower than the best rival", evaluated,
                    RIVAL_MOST, nobody)]
    bound = MEAN_MOST_MANY if results.cpus >= MANY_CPUS else MEAN_MOST
    name = "broadcast, geometric mean"
    want = f"below {bound} of {PTHREAD}'s time on {results.cpus} CPUs"
    mean = experiment.overall(pairs) if pairs else None
    if mean is None:
        return goals + [Goal(name, want, UNKNOWN, nobody)]
    return goals + [Goal(name, want, at_most(mean, bound),
                         f"{interval(mean, 3)}, {mean.n} point{'s' * (mean.n != 1)}")]


def broadcast_switches(results):
    found = results.experiments.get("condperf")
    evaluated = []
    for point in broadcasts(found) if found else []:
        count, other = found.cell(point, OURS).switches(), found.cell(point, PTHREAD)
        if count:
            theirs = other and other.switches()
            evaluated.append((point, count,
                           f", {PTHREAD}'s {theirs.value:.2f}" if theirs else ""))
    goal = _evaluate("context switches per woken waiter", f"at most {SWITCHES_MOST}", evaluated,
                  SWITCHES_MOST, "no broadcasts measured")
    if evaluated:
        most = max(estimate.value for _, estimate, _ in evaluated)
        asleep = max(found.cell(point, OURS).median("vcsw").value for point, _, _ in evaluated)
        goal.got += f", at most {most:.2f} ({asleep:.2f} of them voluntary)"
    return [goal]


def pingpong(results):
    found = results.experiments.get("pingpong")
    pairs, others = [], []
    for point in found.points() if found else []:
        time = experiment.ratio(found.cell(point, OURS), found.cell(point, PTHREAD))
        if time:
            (pairs if point.games == results.cpus else others).append((point, time, ""))
    nobody = "not played"
    goals = [_evaluate("ping-pong, one game per CPU", f"at most {PAIRS_MOST} of {PTHREAD}'s time",
                    pairs, PAIRS_MOST, nobody)]
    if len(pairs) == 1:
        goals[0].got = interval(pairs[0][1])
        goals[0].short = []
    return goals + [_evaluate("ping-pong, any number of games",
                           f"never above {GAMES_MOST} of {PTHREAD}'s time", pairs + others,
                           GAMES_MOST, nobody)]


GOALS = (broadcast_time, broadcast_switches, pingpong)
