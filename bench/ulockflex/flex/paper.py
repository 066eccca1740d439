# SPDX-License-Identifier: MIT
"""The numbers of H. Franke, R. Russell, M. Kirkwood, "Fuss, Futexes and Furwocks: Fast Userlevel
Locking in Linux", Ottawa Linux Symposium 2002, section 4.1, as printed.

They were measured on two 500 MHz Pentium III CPUs with 256 MB; a data point is a number of
runs of 10 seconds, at least 10 runs or until a 95 % confidence interval was reached.

A configuration is written (nlht, lht) there: the time outside the lock comes first.
"""

TASKS = (2, 3, 4, 100, 1000)
CONFIGURATIONS = ((0, 10), (5, 5), (7, 3), (9, 1))  # (nlht, lht), in microseconds

NINE = ("sysv", "futex", "futex-fair", "ulock", "ulock-fair",
        "futex-spin3", "futex-fair-spin3", "ulock-spin3", "ulock-fair-spin3")

# Percentage improvement over the throughput of sysv: rows are the configurations above.
TABLE_1_TITLE = "Table 1: fair locking, without and with 3 us of spinning, % above sysv"
TABLE_1_LOCKS = ("futex-fair", "ulock-fair", "futex-fair-spin3", "ulock-fair-spin3")
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

TABLE_2_TITLE = ("Table 2: regular (convoy avoiding) locking, without and with 3 us of spinning, "
                 "% above sysv")
TABLE_2_LOCKS = ("futex", "ulock", "futex-spin3", "ulock-spin3")
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

TABLES = ((TABLE_1_TITLE, TABLE_1_LOCKS, TABLE_1), (TABLE_2_TITLE, TABLE_2_LOCKS, TABLE_2))


def improvement(lock, tasks, nlht, lht):
    """The published percentage above sysv, or None."""
    for _, locks, table in TABLES:
        if lock in locks and tasks in table and (nlht, lht) in CONFIGURATIONS:
            return table[tasks][CONFIGURATIONS.index((nlht, lht))][locks.index(lock)]
    return None


# The efficiency experiment: throughput in per cent of a run without lock calls.  The eight user
# level locks are given as a range.  The paper does not say how the 10 us are divided between inside
# and outside; one task never waits, so it does not matter.
EFFICIENCY_SYSV = {"idle": 25.1, "busy": 82.2, "two": 18.3}
EFFICIENCY_USER = {"idle": (84.6, 87.9), "busy": (98.9, 99.1), "two": (84.6, 87.9)}
SCALABILITY_SYSV = 1.51  # throughput of 2 tasks with 2 locks over 1 task with 1 lock
SCALABILITY_USER = (1.99, 2.02)

# Figures 1 to 5 show throughput for 2, 3, 4, 100 and 1000 tasks.  Of their contention the text says
# (for 2 tasks, in the order of CONFIGURATIONS; measured against the fair ulock in a separate run):
CONTENTION_2_TASKS = (100.0, 97.8, 41.7, 13.1)
CONTENTION_MORE_TASKS = 99.8  # "all above"
CONTENTION_LOCK = "ulock-fair"

# Figure 6 shows throughput over the share of read locks for these tasks and one lock: furwocks
# solid, shared ulocks dashed.  It is a picture without numbers; its text says this.
SHARE_TASKS = (2, 3, 4, 100)
SHARE_LOCKS = ("furwock-classic", "ulock-shared")
SHARE_SAID = ("furwocks outperform shared ulocks, the more so the lower the share and the more the "
              "tasks; at 100 % reads, shared ulocks are ahead by about 2 to 3 %")
SHARE_COEFF = {"furwock-classic": 0.068, "ulock-shared": 0.054}  # mean of all its scenarios

# Coefficient of variation of the per-task throughput.
COEFF = (
    ("sysv", "typically below 0.01; 9.1 in one case of 1000 tasks"),
    ("futex-fair", "below 0.01 for 2, 3, 4 tasks; very low for 100, 1000"),
    ("ulock-fair", "below 0.01 for 2, 3, 4 tasks; up to 1.10 for 100, 1000"),
)

# Reacquisition with 100 tasks in configuration (9, 1): per cent of the cases in which a task did
# not get the lock back before another had it, got it back once, twice; largest number of times.
REACQUIRE_TASKS = 100
REACQUIRE_CONFIGURATION = (9, 1)
REACQUIRE = {
    "sysv": (99.99, None, None, None),
    "futex-fair": (99.99, None, None, None),
    "ulock-fair": (92.1, 3.6, 0.4, 1034),
    "futex": (79.0, 21.0, None, 575),
    "ulock": (82.4, 17.54, None, 751),
}
