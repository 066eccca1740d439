# SPDX-License-Identifier: MIT
"""The goals of the condition variable, judged from condperf and pingpong.  Less time is better."""

from . import contest
from .compare import OURS, PTHREAD
from .verdict import UNKNOWN, Goal, at_most, interval, worst

RIVAL_MOST = 1.0                # of the best rival's time, everywhere
MEAN_MOST, MEAN_MOST_MANY = 0.97, 0.6       # of pthread's time, geometric mean
MANY_CPUS = 8                   # from so many on, the second of these holds
SWITCHES_MOST = 1.1             # per woken waiter
PAIRS_MOST = 0.8                # of pthread's time, with one game per CPU
GAMES_MOST = 1.0                # with any other number of games


def describe(place):
    """A place of condperf or pingpong in words."""
    if hasattr(place, "games"):
        return f"{place.games} game{'s' * (place.games != 1)}"
    text = f"{place.waiters} waiters, {place.section_us} us"
    if place.wake != "broadcast":
        text += f", {place.wake}"
    return text if place.locked else text + ", without the mutex"


def broadcasts(found):
    """The places that the goals speak of: a broadcast, the mutex held."""
    return [place for place in found.places()
            if place.wake == "broadcast" and place.locked and found.cell(place, OURS)]


def _judge(name, want, judged, bound, nobody):
    """A goal about every place: `judged` are (place, estimate, what to add)."""
    if not judged:
        return Goal(name, want, UNKNOWN, nobody)
    above = sorted((x for x in judged if x[1].value > bound), key=lambda x: -x[1].value)
    return Goal(name, want, worst([at_most(estimate, bound) for _, estimate, _ in judged]),
                f"{len(judged) - len(above)} of {len(judged)} places",
                [f"{describe(place)}: {interval(estimate)}{more}"
                 for place, estimate, more in above])


def broadcast_time(results):
    found = results.contests.get("condperf")
    places = broadcasts(found) if found else []
    judged, pairs = [], []
    for place in places:
        ours, rival = found.cell(place, OURS), found.best_rival(place)
        to_rival = contest.ratio(ours, rival)
        if to_rival:
            judged.append((place, to_rival, f" of {rival.lock}"))
        if found.cell(place, PTHREAD):
            pairs.append((ours, found.cell(place, PTHREAD)))
    nobody = "no broadcasts measured"
    goals = [_judge("broadcast, each place", "never slower than the best rival", judged,
                    RIVAL_MOST, nobody)]
    bound = MEAN_MOST_MANY if results.cpus >= MANY_CPUS else MEAN_MOST
    name = "broadcast, geometric mean"
    want = f"below {bound} of {PTHREAD}'s time on {results.cpus} CPUs"
    mean = contest.overall(pairs) if pairs else None
    if mean is None:
        return goals + [Goal(name, want, UNKNOWN, nobody)]
    return goals + [Goal(name, want, at_most(mean, bound),
                         f"{interval(mean, 3)}, {mean.n} place{'s' * (mean.n != 1)}")]


def broadcast_switches(results):
    found = results.contests.get("condperf")
    judged = []
    for place in broadcasts(found) if found else []:
        count, other = found.cell(place, OURS).switches(), found.cell(place, PTHREAD)
        if count:
            theirs = other and other.switches()
            judged.append((place, count,
                           f", {PTHREAD}'s {theirs.value:.2f}" if theirs else ""))
    goal = _judge("context switches per woken waiter", f"at most {SWITCHES_MOST}", judged,
                  SWITCHES_MOST, "no broadcasts measured")
    if judged:
        most = max(estimate.value for _, estimate, _ in judged)
        asleep = max(found.cell(place, OURS).median("vcsw").value for place, _, _ in judged)
        goal.got += f", at most {most:.2f} ({asleep:.2f} of them voluntary)"
    return [goal]


def pingpong(results):
    found = results.contests.get("pingpong")
    pairs, others = [], []
    for place in found.places() if found else []:
        time = contest.ratio(found.cell(place, OURS), found.cell(place, PTHREAD))
        if time:
            (pairs if place.games == results.cpus else others).append((place, time, ""))
    nobody = "not played"
    goals = [_judge("ping-pong, one game per CPU", f"at most {PAIRS_MOST} of {PTHREAD}'s time",
                    pairs, PAIRS_MOST, nobody)]
    if len(pairs) == 1:
        goals[0].got = interval(pairs[0][1])
        goals[0].short = []
    return goals + [_judge("ping-pong, any number of games",
                           f"never above {GAMES_MOST} of {PTHREAD}'s time", pairs + others,
                           GAMES_MOST, nobody)]


JUDGES = (broadcast_time, broadcast_switches, pingpong)
