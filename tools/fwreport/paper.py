# SPDX-License-Identifier: MIT
"""What Franke, Russell and Kirkwood measured in 2002 (section 4.1), beside which today stands."""

TASKS = (2, 3, 4, 100, 1000)
CONFIGURATIONS = ((0, 10), (5, 5), (7, 3), (9, 1))    # (non-lock-hold, lock-hold), microseconds
BASE = "sysv"
MACHINE = "2002: dual Pentium III, 500 MHz"

# Percent improvement over System V; one row per configuration, columns in the order of LOCKS.
FAIR_LOCKS = ("futex-fair", "ulock-fair", "futex-fair-spin3", "ulock-fair-spin3")
GREEDY_LOCKS = ("futex", "ulock", "futex-spin3", "ulock-spin3")

TABLE_1 = {
    2: ((-15.5, -0.7, -20.5, -22.9), (7.9, 4.6, 52.4, 47.7),
        (15.5, 18.7, 50.2, 66.4), (33.2, 33.1, 40.1, 46.5)),
    3: ((-13.7, -15.2, -19.1, -15.9), (-5.7, 8.9, -10.1, 3.8),
        (-33.0, 11.0, -28.2, -9.2), (-33.7, 7.5, -21.7, -0.7)),
    4: ((-15.8, -20.0, -20.4, -17.5), (0.6, 13.3, -5.3, 13.5),
        (-38.6, 8.0, -42.5, 7.3), (-43.6, 7.7, -30.6, 6.4)),
    100: ((172.3, 190.8, 151.4, 189.5), (367.6, 393.9, 386.4, 397.6),
          (464.0, 300.5, 449.0, 305.5), (495.7, 180.3, 449.1, 190.0)),
    1000: ((1900.4, 2343.9, 1787.2, 2317.9), (3363.7, 3752.5, 3403.7, 3792.1),
           (3972.5, 3295.2, 3891.1, 3357.3), (4393.7, 1971.5, 4127.7, 1985.3)),
}
TABLE_2 = {
    2: ((8.8, 7.6, 9.3, 7.8), (17.7, 127.8, 86.0, 108.2),
        (33.2, 60.1, 68.5, 55.7), (40.8, 30.9, 44.9, 29.3)),
    3: ((43.2, 9.0, 38.5, 9.3), (49.1, 116.0, 89.9, 76.5),
        (35.0, 38.0, 58.0, 28.1), (39.5, 12.8, 43.3, 12.3)),
    4: ((61.2, 38.8, 59.7, 33.7), (66.6, 130.5, 116.3, 90.5),
        (34.7, 29.9, 49.1, 20.3), (36.1, 10.5, 39.6, 6.2)),
    100: ((456.8, 397.1, 426.9, 399.7), (852.3, 1030.2, 973.4, 844.5),
          (1040.4, 1003.9, 1175.2, 919.5), (1223.7, 967.7, 1260.4, 936.5)),
    1000: ((4591.7, 4047.9, 3333.1, 4055.2), (6989.5, 9570.0, 8583.8, 8095.9),
           (9149.7, 9427.1, 10781.5, 8714.6), (11569.6, 9437.7, 11869.9, 9223.3)),
}
TABLES = (("Table 1: fair locks", FAIR_LOCKS, TABLE_1),
          ("Table 2: regular (convoy-avoiding) locks", GREEDY_LOCKS, TABLE_2))

# Efficiency: throughput in percent of a run without lock calls; (tasks, locks, lht + nlht) to
# {lock: (lowest, highest)}.  The paper gives one range for its eight user-level locks.
USER_LEVEL = "user-level locks"
EFFICIENCY = {
    (1, 1, 0): {BASE: (25.1, 25.1), USER_LEVEL: (84.6, 87.9)},
    (1, 1, 10): {BASE: (82.2, 82.2), USER_LEVEL: (98.9, 99.1)},
    (2, 2, 0): {BASE: (18.3, 18.3), USER_LEVEL: (84.6, 87.9)},
}

# Reacquisition at 100 tasks, (9,1): fractions of never, once more, twice more; longest row.
REACQUIRE = {
    "sysv": (0.9999, None, None, None),
    "futex-fair": (0.9999, None, None, None),
    "ulock-fair": (0.921, 0.036, 0.004, 1034),
    "futex": (0.790, 0.210, None, 575),
    "ulock": (0.824, 0.1754, None, 751),
}
REACQUIRE_TASKS, REACQUIRE_CONFIGURATION = 100, (9, 1)

# Share of lock calls that found the lock taken, 2 tasks, by configuration (percent).
CONTENTION_2_TASKS = dict(zip(CONFIGURATIONS, (100, 97.8, 41.7, 13.1)))


def covers(spot):
    """Whether the paper measured there."""
    return (spot.tasks in TASKS and spot.locks == 1
            and (spot.nlht, spot.lht) in CONFIGURATIONS)


def improvement(lock, tasks, configuration):
    """The paper's ratio to System V (1.0 is equal), or None where it has none."""
    if lock == BASE:
        return 1.0
    for _, locks, table in TABLES:
        if lock in locks and tasks in table and configuration in CONFIGURATIONS:
            row = table[tasks][CONFIGURATIONS.index(configuration)]
            return 1 + row[locks.index(lock)] / 100
    return None
