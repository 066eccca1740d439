# SPDX-License-Identifier: MIT
"""What Franke, Russell and Kirkwood measured in 2002 (section 4.1), beside which today stands.

The figures are those that ulockflex prints: bench/ulockflex/flex/paper.py has them once for all.
"""

import importlib.util
import pathlib

SOURCE = pathlib.Path(__file__).parents[2] / "bench" / "ulockflex" / "flex"


def _load(stem):
    spec = importlib.util.spec_from_file_location(f"ulockflex_{stem}", SOURCE / f"{stem}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_printed = _load("paper")
prefer = _load("prefer")        # which read-write locks are compared

TASKS = _printed.TASKS
NINE = _printed.NINE
SHARE_SAID, SHARE_LOCKS = _printed.SHARE_SAID, _printed.SHARE_LOCKS
SHARE_COEFFICIENTS = _printed.SHARE_COEFF       # of variation: the mean of all scenarios
CONFIGURATIONS = _printed.CONFIGURATIONS        # (non-lock-hold, lock-hold), microseconds
BASE = "sysv"
MACHINE = "2002: dual Pentium III, 500 MHz"
FAIR_LOCKS = _printed.TABLE_1_LOCKS
GREEDY_LOCKS = _printed.TABLE_2_LOCKS
TABLES = (("Table 1: fair locks", FAIR_LOCKS),
          ("Table 2: regular (convoy-avoiding) locks", GREEDY_LOCKS))

# Throughput in percent of a run without lock calls; (tasks, locks, lht + nlht) to
# {lock: (lowest, highest)}.  The paper gives one range for its eight user-level locks.
USER_LEVEL = "user-level locks"
EFFICIENCY = {
    point: {BASE: (_printed.EFFICIENCY_SYSV[name],) * 2, USER_LEVEL: _printed.EFFICIENCY_USER[name]}
    for point, name in (((1, 1, 0), "idle"), ((1, 1, 10), "busy"), ((2, 2, 0), "two"))}

SCALABILITY = {BASE: (_printed.SCALABILITY_SYSV,) * 2, USER_LEVEL: _printed.SCALABILITY_USER}
CONTENTION_LOCK = _printed.CONTENTION_LOCK


def contention(tasks):
    """What the paper tells of that many tasks, in per cent: a word for each configuration."""
    if tasks == 2:
        return [f"{share:g}" for share in _printed.CONTENTION_2_TASKS]
    return [f"above {_printed.CONTENTION_MORE_TASKS:g}"] * len(CONFIGURATIONS)


COEFFICIENTS = dict(_printed.COEFF)     # of variation, in words

# Reacquisition: fractions of never, once, twice (None: not told), and the most times in a row.
REACQUIRE = {lock: (*(x and x / 100 for x in percents[:3]), percents[3])
             for lock, percents in _printed.REACQUIRE.items()}
REACQUIRE_TASKS = _printed.REACQUIRE_TASKS
REACQUIRE_CONFIGURATION = _printed.REACQUIRE_CONFIGURATION


def covers(spot):
    """Whether the paper measured there."""
    return (spot.tasks in TASKS and spot.locks == 1
            and (spot.nlht, spot.lht) in CONFIGURATIONS)


def improvement(lock, tasks, configuration):
    """The paper's ratio to System V (1.0 is equal), or None where it has none."""
    if lock == BASE:
        return 1.0
    percent = _printed.improvement(lock, tasks, *configuration)
    return None if percent is None else 1 + percent / 100
