# SPDX-License-Identifier: MIT
"""The runs: one kind of lock at one level of contention each."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
from typing import NamedTuple

from front import Trouble
from front.cli import PIN


class Level(NamedTuple):
    name: str
    processes: int
    hash_size: int


# Table 3's: one chain and the list of free space; 4096 chains; one process.  For the last the paper
# does not say how many chains.
LEVELS = (Level("high", 6, 1), Level("low", 6, 4096), Level("none", 1, 4096))

PLAIN = {"fcntl": (), "tdb-mutex": ("-m",)}  # TDB as it is
KERNEL, DEVICE = ("kernel-futex",), "/dev/furwock"  # the module kmod/ is loaded
OTHER = ("spin", "futex", *KERNEL, "furwock", "furwock-rwlock", "furwock-mutex")  # kinds.c
KINDS = (*PLAIN, *OTHER)
FAMILIES = {"spin": "classic", "futex": "classic", "kernel-futex": "classic", "furwock": "furwock",
            "furwock-rwlock": "furwock", "furwock-mutex": "furwock"}  # else: rivals
LOOPS_MOST = 200000             # of each process, as in the paper
LOOPS_LEAST = 100
LOOPS_FIRST = 300               # to find out how long it takes
GROWTH = 1.6                    # longer runs have more records, and thus longer walks
TIMEOUT_LEAST, TIMEOUT_TIMES = 60.0, 20.0


def present():
    """The kinds that take part where none is named."""
    return [kind for kind in KINDS
            if kind not in KERNEL or os.access(DEVICE, os.R_OK | os.W_OK)]


def _stay():
    """In the child, which does not fork: on one CPU."""
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])


class Runner:
    def __init__(self, programs, folder):
        self.plain, self.other = programs
        self.folder = folder
        self.child = None

    def seconds(self, kind, level, loops, seed, timeout):
        """How long one run took.  Each has a database of its own."""
        point = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=self.folder))
        words = [str(self.plain if kind in PLAIN else self.other), *PLAIN.get(kind, ()),
                 "-n", str(level.processes), "-l", str(loops), "-H", str(level.hash_size),
                 "-s", str(seed)]
        told = {"TEST_DATA_PREFIX": str(point), "TDBTORTURE_KIND": kind,
                "TDBTORTURE_REGION": str(point / "locks"),
                "TDBTORTURE_CHAINS": str(level.hash_size)}
        try:
            return self._run(words, {**os.environ, **told}, timeout, level.processes == 1)
        finally:
            self.end()
            shutil.rmtree(point, ignore_errors=True)

    def _run(self, words, environment, timeout, alone):
        begun = time.monotonic()
        self.child = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      text=True, start_new_session=True,
                                      preexec_fn=_stay if PIN in environment and alone else None)
        try:
            said, _ = self.child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            raise Trouble(f"hung: no end after {timeout:.0f} s") from None
        took = time.monotonic() - begun
        lines = said.split("\n")
        if self.child.returncode != 0 or "OK" not in lines:
            other = [line for line in lines if line and not line.startswith("Testing with")]
            raise Trouble(f"status {self.child.returncode}: {(other or ['no OK'])[0]}")
        return took

    def end(self):
        """Its processes too, if there are any left."""
        if self.child is not None:
            try:
                os.killpg(self.child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.child.communicate()
            self.child = None


def fit(runner, kinds, levels, rounds, budget, loops=None):
    """(loops for which all rounds fit the budget, longest run to expect, time of all rounds)

    With `loops` given, there are that many whatever the budget.
    """
    first = {}
    for level in levels:
        kind = "fcntl" if "fcntl" in kinds else kinds[0]
        first[level] = runner.seconds(kind, level, LOOPS_FIRST, 1, TIMEOUT_LEAST)
    whole = sum(first.values()) * len(kinds) * rounds * GROWTH
    if loops is None:
        loops = max(LOOPS_LEAST, min(LOOPS_MOST, int(LOOPS_FIRST * budget / whole)))
        loops -= loops % LOOPS_LEAST
    return loops, max(first.values()) * loops / LOOPS_FIRST, whole * loops / LOOPS_FIRST


def points(kinds, levels):
    """For each level a cell of each kind."""
    return [[{"lock": kind, "family": FAMILIES.get(kind, "rival"), "level": level.name,
              "processes": level.processes, "hash_size": level.hash_size, "runs": [],
              "failures": []} for kind in kinds]
            for level in levels]


def longest(points):
    """Seconds of the longest run so far."""
    return max((run["seconds"] for point in points for cell in point for run in cell["runs"]),
               default=0.0)


def one_run(runner, levels, loops, seed, expected):
    """What measures a cell; all kinds have the same seed in a round."""
    timeout = max(TIMEOUT_LEAST, TIMEOUT_TIMES * expected)
    by_name = {level.name: level for level in levels}

    def run(cell, number):
        return {"seconds": runner.seconds(cell["lock"], by_name[cell["level"]], loops,
                                          seed + number, timeout)}
    return run
