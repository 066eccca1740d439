# SPDX-License-Identifier: MIT
"""The runs: one case with one library each."""

import json
import os
import subprocess

from front import Trouble
from fwpreload import preloaded

BASE, OURS = "pthread", "furwock"
FAMILIES = {BASE: "rival", OURS: "furwock"}
# At most so much of the C library's time; without the cases that have none.
GOALS = {"mutex": 0.75, "sem": 0.8, "read": 0.8, "signal": 1.0, "broadcast": 1.0,
         "contended-pi": 0.5}
SECONDS = 1e-9                  # a nanosecond
SLACK_SECONDS = 60.0            # a run that takes so much longer than it should is hung
CALIBRATIONS = 3


class Worker:
    def __init__(self, path, libraries):
        self.path = path
        self.libraries = libraries      # {name: what to preload, or None}
        self.rate = None

    def ask(self, *words, library=None, timeout=SLACK_SECONDS):
        """What the worker prints, or Trouble."""
        environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
        if library:
            environment.update(preloaded(library))
        try:
            done = subprocess.run([self.path, *map(str, words)], env=environment, timeout=timeout,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, check=False)
        except subprocess.TimeoutExpired:
            raise Trouble(f"hung: no end after {timeout:.0f} s") from None
        if done.returncode != 0 or done.stderr:
            said = done.stderr.strip().splitlines()
            raise Trouble(f"status {done.returncode}: {said[-1] if said else 'nothing said'}")
        return json.loads(done.stdout)

    def cases(self):
        return self.ask("--list")

    def calibrate(self):
        """All runs do the same work: the most steps of some tries; disturbances make it fewer."""
        self.rate = max(self.ask("--calibrate") for _ in range(CALIBRATIONS))

    def run(self, case, lock, milliseconds):
        found = self.ask(case, milliseconds, self.rate, library=self.libraries[lock],
                         timeout=SLACK_SECONDS + milliseconds / 1000)
        return {"seconds": found["ns"] * SECONDS, "vcsw": found["vcsw"], "ivcsw": found["ivcsw"]}


def points(cases):
    """For each case a cell with the drop-in and one without."""
    return [[{"lock": lock, "family": FAMILIES[lock], "case": case["case"], "about": case["about"],
              "threads": case["threads"], "goal": {"ratio": GOALS.get(case["case"])},
              "runs": [], "failures": []} for lock in (BASE, OURS)]
            for case in cases]
