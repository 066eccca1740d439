# SPDX-License-Identifier: MIT
"""rtlatency: what lock and unlock cost real-time tasks, beside Table 1 of the paper."""

from . import experiment

NAME, TITLE = "rtlatency", "locks of real-time tasks"
INHERIT, PROTECT = "PRIO_INHERIT", "PRIO_PROTECT"
PAIRS, TASKS = "pairs", "tasks"

# With deferred updates: the protocol without, which asks the kernel each time.
BASELINES = {"PCP-DU-BOOL": "PCP", "PCP-DU-PF": "PCP", "MPCP-DU": "MPCP", "FMLP+-DU": "FMLP+"}
# Those whose figures Table 1 gives as a change; on one CPU only.
BESIDE = {INHERIT: "PCP", PROTECT: "PCP", "PIP": "PCP", "IPCP": "PCP"}
# Baselines with a system call that they need not make: Table 1 does not show them.
EXTRA = {"PCP+PI": "PCP", "MPCP+YIELD": "MPCP", "FMLP++YIELD": "FMLP+"}

SAMPLES = {"lock_free": "lock, free", "unlock_free": "unlock, nobody waits",
           "lock_taken": "lock, taken", "unlock_taken": "unlock, somebody waits"}
# The paper has no such rows, and no goal is about them.
APART = {"unlock_at_once": "unlock, nobody waits, the lock was free",
         "unlock_waited": "unlock, nobody waits, the lock was taken",
         "clock": "reading the clock, which is in each figure"}
FIGURES = {"average": "average", "median": "50 %", "p99": "99 %", "most": "most"}
# Figure 1: the distribution of what scheduling costs, and about how many cycles of it the paper's
# deferred updates add (section V-D).
SCHEDULING = "scheduling"
PERCENTS = (1, 10, 25, 50, 75, 90, 99, 99.9, 100)
PAPER_ADDS = {"PCP-DU-BOOL": 700, "PCP-DU-PF": 700, "MPCP-DU": 650, "FMLP+-DU": 400}
SOURCE = ("Splet, Vanga, Brandenburg, Dziadek: Fast on Average, Predictable in the Worst Case: "
          "Exploring Real-Time Futexes in LITMUS^RT, RTSS 2014")


def found(results):
    return results.experiments.get(NAME)


def points(one, kind):
    """Of PAIRS or of TASKS; few CPUs and few tasks first."""
    return sorted((point for point in one.points() if point.kind == kind),
                  key=lambda point: (point.tier, point.cpus, point.tasks, point.run_ms))


def with_needless_calls(one):
    """The sets of tasks that were measured to tell what those calls are worth."""
    return [point for point in points(one, TASKS)
            if any(cell.lock in EXTRA for cell in one.at(point))]


def of_the_paper(one):
    """The sets of tasks of Table 1: those with such calls only where there are no others."""
    apart = with_needless_calls(one)
    others = {title(point) for point in points(one, TASKS) if point not in apart}
    return [point for point in points(one, TASKS)
            if point not in apart or title(point) not in others]


def protocols(one, point):
    """The cells of those that Table 1 shows."""
    return [cell for cell in one.at(point) if cell.lock not in EXTRA]


def title(point):
    return (f"{point.tasks} tasks on {point.cpus} CPU{'s' * (point.cpus != 1)}, "
            f"tier {point.tier}")


def compared(one, point, lock):
    """With whom Table 1 compares a protocol there, or None."""
    other = (BASELINES | EXTRA).get(lock) or (BESIDE.get(lock) if point.cpus == 1 else None)
    return other if other and one.cell(point, other) else None


def deferred(one, point):
    """[(protocol with deferred updates, its baseline)] of those that were measured there."""
    return [(cell.lock, BASELINES[cell.lock]) for cell in one.at(point)
            if cell.lock in BASELINES and one.cell(point, BASELINES[cell.lock])]


def nanoseconds(cell, sample, figure):
    """A figure of Table 1 as measured, or None."""
    return _number(cell, sample, figure)


def published(cell, sample, figure):
    """The paper's: cycles at 1 GHz."""
    return _number(cell, sample, "paper_" + figure)


def _number(cell, sample, name):
    value = cell.tables.get(sample) if cell else None
    value = value.get(name) if isinstance(value, dict) else None
    return float(value) if isinstance(value, (int, float)) and value > 0 else None


def distribution(cell):
    """[(per cent, at most ns)] of what scheduling cost; empty where it was not measured."""
    table = cell.tables.get(SCHEDULING) if cell else None
    pairs = table.get("cdf") if isinstance(table, dict) else None
    return [(float(percent), float(value)) for percent, value in pairs or ()]


def percentile(cell, percent):
    """Of the distribution, or None."""
    return next((value for at, value in distribution(cell) if at == percent), None)


def samples(one, point, sample):
    """How many of each protocol are in a row: of all that have any, equally many."""
    counts = [_number(cell, sample, "n") for cell in one.at(point)]
    return int(min((n for n in counts if n), default=0))


def change(one, point, lock, sample, figure="average", value=nanoseconds):
    """Its figure over that of whom it is compared with, or None."""
    other = compared(one, point, lock)
    above, below = (other and value(one.cell(point, name), sample, figure)
                    for name in (lock, other))
    return above / below if above and below else None


def of(one, point, lock, base):
    """The time of a pair over another's, within each repetition."""
    return experiment.ratio(one.cell(point, lock), one.cell(point, base))


def calls(one, point, lock):
    """System calls of a pair, or None where they were not counted."""
    cell = one.cell(point, lock)
    middle = cell and cell.median("syscalls")
    return middle.value if middle else None
