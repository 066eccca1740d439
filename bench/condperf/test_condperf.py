#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs condperf as a user would, briefly.  Arguments: the command."""

import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))

import try_bench  # noqa: E402
from infull import in_full  # noqa: E402

BRIEF = ("--repeat", "2", "--rounds", "3")


class Resumed(try_bench.Resumed):
    WORDS = ("--waiters", "5", "--rounds", "3", "furwock")


class Refusals(try_bench.Refusals):
    def test_numbers(self):
        self.numbers("--waiters", ("0", "x", "1,", ",1", "1,2x", "-1", "1 2", "100001", "",
                                   ",".join(["1"] * 17)))
        self.numbers("--section", ("-1", "x", "100001"))
        self.numbers("--rounds", ("0", "none"))

    def test_a_grid_is_a_grid(self):
        self.assertIn("--grid", self.refused_in_a_line("--grid", "-n", "3"))
        for other in ("--grid", "-n3", "-c2"):
            self.assertIn("--published", self.refused_in_a_line("--published", other))

    def test_too_many_threads(self):
        # Room for thousands of threads, which leave process ids to others; an emulator needs more.
        before = list(try_bench.COMMAND)
        limit = 1 << (29 if len(before) == 1 else 31)
        script = ("import os, resource, sys\n"
                  f"resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))\n"
                  "os.execv(sys.argv[1], sys.argv[1:])")
        try_bench.COMMAND[:] = [sys.executable, "-c", script, *before]
        try:
            if try_bench.run("--list").returncode != 0:
                self.skipTest("it does not even start in so little memory")
            done = try_bench.run(*BRIEF, "-n", "5,90000", "furwock")
        finally:
            try_bench.COMMAND[:] = before
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cannot start 90000 threads", done.stderr)
        self.assertIn("left out: 90000 waiters", done.stdout)
        self.assertIn("5 waiters", done.stdout)


class Whole(try_bench.Result):
    def test_broadcasts(self):
        text, result = try_bench.measured(*BRIEF, "-n", "4,20", "-c", "0,2", "furwock")
        self.check(result, "condperf", 2)
        points = {(cell["waiters"], cell["section_us"]) for cell in result["cells"]}
        self.assertEqual(points, {(4, 0), (4, 2), (20, 0), (20, 2)})
        self.assertEqual({cell["lock"] for cell in result["cells"]},
                         {"furwock", "pthread"})
        for cell in result["cells"]:
            # Each waiter goes to sleep once in a round at the least, except a few that poll.
            self.assertGreater(cell["runs"][0]["vcsw"], 0.5)
            if cell["lock"] == "pthread":
                self.assertEqual(cell["summary"]["ratio"]["median"], 1)
        self.assertIn("over all points, geometric mean", text)

    @in_full
    def test_rounds_follow_from_the_waiters(self):
        _, result = try_bench.measured("--repeat", "2", "--waiters", "10,500", "furwock")
        self.assertEqual({cell["waiters"]: cell["rounds"] for cell in result["cells"]},
                         {10: 500, 500: 20})
        self.assertEqual([note for note in result["notes"] if "rounds" in note], [])
        _, result = try_bench.measured("--repeat", "2", "--waiters", "10", "--rounds", "3",
                                       "furwock")
        self.assertEqual(len([note for note in result["notes"] if "3 rounds" in note]), 1)

    def test_the_section_takes_its_time(self):
        _, result = try_bench.measured(*BRIEF, "-n", "10", "-c", "500", "furwock")
        for cell in result["cells"]:
            # On a busy machine work is calibrated too short, but not by that much.
            self.assertGreater(min(run["seconds"] for run in cell["runs"]), 10 * 100e-6)

    def test_all_ways_to_wake(self):
        for ways in (("--unlocked",), ("--signal",), ("--signal", "--unlocked")):
            with self.subTest(ways=ways):
                _, result = try_bench.measured(*BRIEF, "-n", "20", *ways, "furwock")
                cell = result["cells"][0]
                self.assertEqual(cell["locked"], "--unlocked" not in ways)
                self.assertEqual(cell["wake"], "signals" if "--signal" in ways else "broadcast")

    def test_what_was_published_beside_today(self):
        """Molnar 2003: cond-perf -r 100 -n 200 and -r 1000 -n 100, on 1p, 2p and 4p."""
        cpus = len(os.sched_getaffinity(0))
        plan = try_bench.run("--published", "--dry-run").stdout
        self.assertEqual(re.findall(r"(?m)^(\d+) waiters, .*, (\d+) rounds on (\d) CPUs?: ", plan),
                         [(n, r, str(p)) for r, n in (("100", "200"), ("1000", "100"))
                          for p in (1, 2, 4) if p <= cpus])
        text, result = try_bench.measured("--repeat", "2", "--published", "--rounds", "2",
                                          "furwock")
        self.assertEqual({(c["rounds"], c["waiters"], c["on_cpus"]) for c in result["cells"]},
                         {(2, n, p) for n in (200, 100) for p in (1, 2, 4) if p <= cpus})
        first, second = text.split("./cond-perf ")[1:]
        self.assertRegex(first, r"(?s)-r 100 -n 200\n.* 1p +2p +4p\n.*Default NPTL +0.120s +0.211s"
                                r" +237.407s\n.*requeue NPTL +0.124s +0.156s +0.040s\n")
        self.assertRegex(second, r"(?s)-r 1000 -n 100\n.*Default NPTL .* 0.530s\n")
        for lock in ("furwock", "pthread"):
            self.assertRegex(first, rf"\n  {lock} +[0-9.]+s ")
            seconds = float(re.search(rf"\n  {lock} +([0-9.]+)s", second)[1])
            cell = next(c for c in result["cells"]
                        if (c["lock"], c["waiters"], c["on_cpus"]) == (lock, 100, 1))
            self.assertAlmostEqual(seconds, 1000 * cell["summary"]["median"], delta=0.001)

    @in_full
    def test_a_budget_ends_it(self):
        _, result = try_bench.measured("--repeat", "10000", "--budget", "1", "-n", "2", "furwock")
        self.assertGreaterEqual(result["rounds"], 2)
        self.assertLess(result["rounds"], 10000)


if __name__ == "__main__":
    try_bench.main(sys.argv)
