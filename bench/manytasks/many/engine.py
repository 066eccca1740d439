# SPDX-License-Identifier: MIT
"""The runs: one peer's program in one shape each."""

import json
import subprocess
from typing import NamedTuple

from front import Trouble

from . import bars
from .peers import PEERS

TIMEOUT_LEAST, TIMEOUT_TIMES = 120.0, 20.0


class Shape(NamedTuple):
    name: str
    tasks: int
    locks: int
    passes: int
    shared: int = 0             # of the locks, with a second process; furwock's only


# The paper's picture: far more tasks than a kernel would want threads.  And one lock for a few,
# where a hand-off is all there is.  `short` is for tests.
SHAPES = (Shape("many", 100000, 1000, 10), Shape("one", 100, 1, 10000),
          Shape("shared", 100000, 1000, 5, 100))
SHORT = Shape("short", 5000, 50, 4)


def points(peers, shapes, threads):
    """For each shape a cell of each peer."""
    return [[{"lock": name, "family": PEERS[name].family, "shape": shape.name,
              "tasks": shape.tasks, "locks": shape.locks, "passes": shape.passes,
              "shared": shape.shared, "threads": threads, "runs": [], "failures": []}
             for name in peers if not shape.shared or name == "furwock"]
            for shape in shapes if not shape.shared or "furwock" in peers]


class Runner:
    def __init__(self, programs, seed):
        self.programs, self.seed = programs, seed
        self.longest = 0.0

    def words(self, cell, number):
        if cell["shape"] == bars.SHAPE:
            return [self.programs[bars.SHAPE], cell["bar"], cell["side"]]
        return [self.programs[cell["lock"]],
                *(str(cell[key]) for key in ("tasks", "locks", "threads", "passes")),
                str(self.seed + number), *([str(cell["shared"])] if cell["shared"] else [])]

    def run(self, cell, number):
        """What the program says of one run."""
        words = self.words(cell, number)
        timeout = max(TIMEOUT_LEAST, TIMEOUT_TIMES * self.longest)
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            raise Trouble(f"hung: no end after {timeout:.0f} s") from None
        except OSError as error:
            raise Trouble(f"{words[0]}: {error.strerror}") from None
        if done.returncode != 0:
            said = done.stderr.strip().splitlines()
            raise Trouble(f"status {done.returncode}: {said[-1] if said else 'nothing said'}")
        try:
            found = json.loads(done.stdout)
        except ValueError:
            raise Trouble(f"no result: {done.stdout[:80]!r}") from None
        self.longest = max(self.longest, found.get("seconds", 0))
        return found
