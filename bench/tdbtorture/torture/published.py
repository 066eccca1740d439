# SPDX-License-Identifier: MIT
"""What the paper measured, and what is to be reached.

Franke, Russell and Kirkwood (2002), Table 3: seconds, for 200000 operations of each process, on two
350 MHz Pentium II CPUs.  Its futex is a kind here; what a user would take today are locks of ours.
"""

PAPER = {"fcntl": {"high": 1003.69, "low": 1482.08, "none": 76.4},
         "spin": {"high": 751.18, "low": 431.42, "none": 67.6},
         "futex": {"high": 593.00, "low": 111.45, "none": 41.5}}
STANDS_FOR = {"furwock": "futex"}

OURS, BASE = "furwock", "fcntl"
# Like for like: TDB's own mutex mode leaves records and walks to fcntl, and so does this of ours.
LIKE, MUTEX = "furwock-mutex", "tdb-mutex"
MOST = {"high": 0.6, "low": 0.3, "none": 0.7}  # of fcntl's time
MUTEX_MOST = 1.0                               # of TDB's own mutexes' time


def then(lock, level):
    """The paper's time, or None."""
    row = PAPER.get(STANDS_FOR.get(lock, lock))
    return row and row[level]
