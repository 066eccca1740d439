# SPDX-License-Identifier: MIT
"""rtlatency: what lock and unlock cost real-time tasks, beside Table 1 of the paper."""

from . import contest

NAME, TITLE = "rtlatency", "locks of real-time tasks"
INHERIT, PROTECT = "PRIO_INHERIT", "PRIO_PROTECT"
PAIRS, TASKS = "pairs", "tasks"

# With deferred updates: the protocol without, which asks the kernel each time.
BASELINES = {"PCP-DU-BOOL": "PCP", "PCP-DU-PF": "PCP", "MPCP-DU": "MPCP", "FMLP+-DU": "FMLP+"}
# Those whose figures Table 1 gives as a change; on one CPU only.
BESIDE = {INHERIT: "PCP", PROTECT: "PCP", "PIP": "PCP", "IPCP": "PCP"}

SAMPLES = {"lock_free": "lock, free", "unlock_free": "unlock, nobody waits",
           "lock_taken": "lock, taken", "unlock_taken": "unlock, somebody waits"}
# The paper has no such rows, and no goal is about them.
APART = {"unlock_at_once": "unlock, nobody waits, the lock was free",
         "unlock_waited": "unlock, nobody waits, the lock was taken",
         "clock": "reading the clock, which is in each figure"}
FIGURES = {"average": "average", "p99": "99 %", "most": "most"}
SOURCE = ("Splet, Vanga, Brandenburg, Dziadek: Fast on Average, Predictable in the Worst Case: "
          "Exploring Real-Time Futexes in LITMUS^RT, RTSS 2014")


def found(results):
    return results.contests.get(NAME)


def places(one, kind):
    """Of PAIRS or of TASKS; few CPUs and few tasks first."""
    return sorted((place for place in one.places() if place.kind == kind),
                  key=lambda place: (place.tier, place.cpus, place.tasks, place.run_ms))


def title(place):
    return (f"{place.tasks} tasks on {place.cpus} CPU{'s' * (place.cpus != 1)}, "
            f"tier {place.tier}")


def compared(one, place, lock):
    """With whom Table 1 compares a protocol there, or None."""
    other = BASELINES.get(lock) or (BESIDE.get(lock) if place.cpus == 1 else None)
    return other if other and one.cell(place, other) else None


def deferred(one, place):
    """[(protocol with deferred updates, its baseline)] of those that were measured there."""
    return [(cell.lock, BASELINES[cell.lock]) for cell in one.at(place)
            if cell.lock in BASELINES and one.cell(place, BASELINES[cell.lock])]


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


def samples(one, place, sample):
    """How many of each protocol are in a row: of all that have any, equally many."""
    counts = [_number(cell, sample, "n") for cell in one.at(place)]
    return int(min((n for n in counts if n), default=0))


def change(one, place, lock, sample, figure="average", value=nanoseconds):
    """Its figure over that of whom it is compared with, or None."""
    other = compared(one, place, lock)
    above, below = (other and value(one.cell(place, name), sample, figure)
                    for name in (lock, other))
    return above / below if above and below else None


def of(one, place, lock, base):
    """The time of a pair over another's, within each repetition."""
    return contest.ratio(one.cell(place, lock), one.cell(place, base))


def calls(one, place, lock):
    """System calls of a pair, or None where they were not counted."""
    cell = one.cell(place, lock)
    middle = cell and cell.median("syscalls")
    return middle.value if middle else None
