# SPDX-License-Identifier: MIT
"""Programs that are made to test locks: stress-ng, and rt-tests."""

import json
import time

from .program import Figure, Program, must_say, number


class StressNg(Program):
    """stress-ng's own stressors of POSIX mutexes with priorities, semaphores, and futexes.

    The last makes its system calls itself; it is there to see that nothing stands in its way.
    """
    name, package, needs = "stress-ng", "stress-ng", ("stress-ng",)
    figures = {"mutex": Figure("op/s"), "sem": Figure("op/s"), "futex": Figure("op/s", goal=None)}
    seconds_each, instances = 2, 2

    def run(self, workdir):
        found = {}
        for stressor in self.figures:
            said = workdir.run(["stress-ng", f"--{stressor}", self.instances, "-t",
                              f"{self.seconds_each}s", "--metrics-brief", "--verify"])
            workdir.lap(stressor)
            must_say("successful run completed", said)
            found[stressor] = number(rf"metrc:.*\] {stressor}\s+\d+\s+[\d.]+\s+[\d.]+\s+[\d.]+"
                                     r"\s+([\d.]+)", said)
        return found


class RealTime(Program):
    """rt-tests: an inversion that priority inheritance must dissolve, and threads that pass a
    mutex; what they tell are microseconds between unlocking and the other's waking."""
    name, package, needs = "rt-tests", "rt-tests", ("pip_stress", "ptsematest")
    figures = {"pip_stress": Figure("s", more=False, goal=None),
               "ptsematest": Figure("us", more=False, goal=None)}
    loops_seconds = 2

    def run(self, workdir):
        begun = time.monotonic()
        said = workdir.run(["pip_stress"])
        took = time.monotonic() - begun
        must_say("Successfully used priority inheritance", said)
        path = workdir.folder / "ptsematest.json"
        workdir.run(["ptsematest", "-q", "-D", self.loops_seconds, "-t", 2, "-i", 200,
                   f"--json={path}"])
        threads = json.loads(path.read_text(encoding="utf-8"))["thread"].values()
        samples = sum(t["sender"]["samples"] for t in threads)
        total = sum(t["sender"]["samples"] * t["receiver"]["avg"] for t in threads)
        return {"pip_stress": took, "ptsematest": total / samples}
