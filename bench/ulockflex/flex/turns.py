# SPDX-License-Identifier: MIT
"""How long a run has to last: several turns of the scheduler.

Where tasks outnumber the CPUs, each has the CPU for a slice, and then all the others have it.  In
less than a turn only some of the tasks do anything at all, and the order of the locks depends on
which: with 100 threads on 2 CPUs, runs of 0.25 s ranked them otherwise than runs of 1 s.
"""

from front import machine

SLICE_SECONDS = 0.004           # a tick of 250 Hz; Linux's own slice is at most 3 ms
WINDOW_TURNS = 4                # how many of them a run lasts
WARM_TURNS = 2                  # before it is measured, as in measure.c; the next two also
WARM_FRACTION, WARM_MAX_SECONDS = 0.1, 0.05


def turn_seconds(tasks, cpus=None):
    cpus = cpus or machine.cpus()
    return SLICE_SECONDS * tasks / cpus if tasks > cpus else 0.0


def least_seconds(tasks, cpus=None):
    """A shorter run says little."""
    return WINDOW_TURNS * turn_seconds(tasks, cpus)


def warm_seconds(tasks, seconds):
    return max(min(WARM_FRACTION * seconds, WARM_MAX_SECONDS), WARM_TURNS * turn_seconds(tasks))
