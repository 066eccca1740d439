# SPDX-License-Identifier: MIT
"""The runs: all kinds of locks at all levels of contention, in turns."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple


class Level(NamedTuple):
    name: str
    processes: int
    hash_size: int


# Table 3's: one chain and the list of free space; 4096 chains; one process.  For the last the paper
# does not say how many chains.
LEVELS = (Level("high", 6, 1), Level("low", 6, 4096), Level("none", 1, 4096))

PLAIN = {"fcntl": (), "tdb-mutex": ("-m",)}  # TDB as it is
OTHER = ("spin", "furwock", "furwock-rwlock", "furwock-mutex")  # kinds.c
KINDS = (*PLAIN, *OTHER)
FAMILIES = {"spin": "classic", "furwock": "furwock", "furwock-rwlock": "furwock",
            "furwock-mutex": "furwock"}  # else: rivals
LOOPS_MOST = 200000             # of each process, as in the paper
LOOPS_LEAST = 100
LOOPS_FIRST = 300               # to find out how long it takes
GROWTH = 1.6                    # longer runs have more records, and so longer walks
TIMEOUT_LEAST, TIMEOUT_TIMES = 60.0, 20.0


class Failure(Exception):
    """What went wrong in a run."""


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
            return self._run(words, {**os.environ, **told}, timeout)
        finally:
            self.end()
            shutil.rmtree(point, ignore_errors=True)

    def _run(self, words, environment, timeout):
        begun = time.monotonic()
        self.child = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      text=True, start_new_session=True)
        try:
            said, _ = self.child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            raise Failure(f"hung: no end after {timeout:.0f} s") from None
        took = time.monotonic() - begun
        lines = said.split("\n")
        if self.child.returncode != 0 or "OK" not in lines:
            other = [line for line in lines if line and not line.startswith("Testing with")]
            raise Failure(f"status {self.child.returncode}: {(other or ['no OK'])[0]}")
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


def fit(runner, kinds, levels, rounds, budget):
    """(loops for which all rounds fit the budget, longest run to expect)"""
    first = {}
    for level in levels:
        kind = "fcntl" if "fcntl" in kinds else kinds[0]
        first[level] = runner.seconds(kind, level, LOOPS_FIRST, 1, TIMEOUT_LEAST)
    whole = sum(first.values()) * len(kinds) * rounds * GROWTH
    loops = max(LOOPS_LEAST, min(LOOPS_MOST, int(LOOPS_FIRST * budget / whole)))
    loops -= loops % LOOPS_LEAST
    return loops, max(first.values()) * loops / LOOPS_FIRST


def measure(runner, document, settings, quiet, deadline):
    """Fills document["cells"].  False: the time was up, or an interrupt, before all was done."""
    cells = {(cell["lock"], cell["level"]): cell for cell in document["cells"]}
    timeout = max(TIMEOUT_LEAST, TIMEOUT_TIMES * settings["expected"])
    kinds = settings["kinds"]
    for number in range(1, settings["rounds"] + 1):
        for level in settings["levels"]:
            for i in range(len(kinds)):
                kind = kinds[(i + number - 1) % len(kinds)]
                cell = cells[kind, level.name]
                if cell["failures"]:
                    continue
                if time.monotonic() > deadline and number > 1:
                    return False
                if not quiet:
                    print(f"\rround {number}, {level.name}: {kind}\033[K", end="",
                          file=sys.stderr, flush=True)
                try:
                    took = runner.seconds(kind, level, settings["loops"],
                                          settings["seed"] + number, timeout)
                    cell["runs"].append({"round": number, "seconds": took})
                except Failure as failure:
                    cell["failures"].append({"round": number, "what": str(failure)})
    return True
