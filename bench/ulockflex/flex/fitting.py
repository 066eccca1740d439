# SPDX-License-Identifier: MIT
"""Making a plan fit into a time."""

import dataclasses

from flex import Trouble, paper
from flex.plan import MANY_TASKS, estimate

SECONDS_FLOOR = 0.1  # a shorter run says little
ROUNDS_FLOOR = 6     # with fewer there is no interval
NAMED = 4            # dropped configurations that are named
MANY_ROUNDS = 3      # of MANY_TASKS, until all others have had theirs


def fit(plan, budget):
    """Shortens the plan until its least number of rounds fits the budget, in seconds.

    First there are fewer rounds of a thousand tasks, then runs get shorter, then there are fewer
    rounds, then less is found out besides throughput, then configurations are dropped from the end.
    Returns lines that say so.
    """
    said = []
    settings = plan.settings = dataclasses.replace(plan.settings)
    if estimate(plan) <= budget:
        return said
    if any(config.tasks >= MANY_TASKS for config, _ in plan.groups):
        settings.many_rounds = MANY_ROUNDS
        said.append(f"with {MANY_TASKS} tasks {MANY_ROUNDS} rounds instead of {settings.rounds} "
                    f"(more, if time is left); contention of {paper.CONTENTION_LOCK} only")
    if estimate(plan) > budget:
        _shorten(plan, budget, said)
    while estimate(plan) > budget and settings.rounds > ROUNDS_FLOOR:
        settings.rounds -= 1
        if estimate(plan) <= budget or settings.rounds == ROUNDS_FLOOR:
            said.append(f"{settings.rounds} rounds instead of more")
    if estimate(plan) > budget and settings.probes and settings.probe_rounds > 1:
        settings.probe_rounds = 1
        said.append("waits, contention and system calls in one round only")
    while estimate(plan) > budget and settings.probes:
        said.append(f"not measured: {settings.probes[-1]}")
        settings.probes = settings.probes[:-1]
    dropped = []
    while estimate(plan) > budget and len(plan.groups) > 1:
        dropped.append(plan.groups.pop()[0])
    if dropped:
        more = f" and {len(dropped) - NAMED} more" if len(dropped) > NAMED else ""
        said.append("configurations dropped: " + "; ".join(map(str, dropped[:NAMED])) + more)
    if estimate(plan) > budget:
        raise Trouble(f"a budget of {budget:g} s is too small; "
                      f"this needs {estimate(plan):.0f} s", 2)
    return said


def _shorten(plan, budget, said):
    settings = plan.settings
    was = settings.seconds
    shortest = min(was, SECONDS_FLOOR)
    spare = estimate(plan) - budget
    per_second = settings.rounds * plan.cells()
    settings.seconds = max(shortest, was - spare / per_second)
    while settings.seconds > shortest and estimate(plan) > budget:  # the parts are not all linear
        settings.seconds = max(shortest, settings.seconds * 0.98)
    settings.seconds = round(settings.seconds, 3)
    if settings.seconds != was:
        said.append(f"runs of {settings.seconds:g} s instead of {was:g} s, to end in time")
