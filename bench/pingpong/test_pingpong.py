#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs pingpong as a user would, briefly.  Arguments: the command."""

import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))

import try_bench  # noqa: E402
from infull import in_full  # noqa: E402


class Resumed(try_bench.Resumed):
    WORDS = ("--games", "2", "--passes", "200", "furwock")


class Refusals(try_bench.Refusals):
    def test_numbers(self):
        self.numbers("--games", ("0", "x", "3,", "100001"))
        self.numbers("--iterations", ("0", "-5", "many"))
        self.numbers("--passes", ("0", "-5", "many"))
        self.numbers("--stack", ("0", "1023", "32k"))

    def test_a_grid_is_a_grid(self):
        self.assertIn("--grid", self.refused_in_a_line("--grid", "-n", "3"))
        for other in ("--grid", "-n3", "--await"):
            self.assertIn("--published", self.refused_in_a_line("--published", other))


class Whole(try_bench.Result):
    def test_games(self):
        text, result = try_bench.measured("--repeat", "2", "-n", "1,5", "-i", "200", "-S", "16384",
                                          "furwock")
        self.check(result, "pingpong", 2)
        self.assertEqual({(cell["games"], cell["iterations"], cell["stack"])
                          for cell in result["cells"]}, {(1, 200, 16384), (5, 200, 16384)})
        self.assertEqual({cell["lock"] for cell in result["cells"]},
                         {"furwock", "pthread"})
        self.assertIn("5 games of 200 iterations", text)

    def test_conditional_critical_sections(self):
        text, result = try_bench.measured("--repeat", "2", "--await", "-n", "2", "-i", "50",
                                          "furwock")
        self.assertTrue(all(cell["await"] for cell in result["cells"]))
        self.assertIn("2 games of 50 iterations, awaited", text)

    def test_the_published_options_and_output(self):
        """Molnar 2003: "./pp -v -n 128 -i 1000 -S 32768", "128 games in 1.111s"."""
        text, result = try_bench.measured("--repeat", "2", "-v", "-n", "128", "-i", "10",
                                          "-S", "32768", "pthread")
        said = re.search(r"\npthread: 128 games in (\d+\.\d{3})s\n", text)
        self.assertAlmostEqual(float(said[1]), result["cells"][0]["summary"]["median"], delta=0.001)

    @in_full
    def test_what_was_published_beside_today(self):
        cpus = len(os.sched_getaffinity(0))
        plan = try_bench.run("--published", "--dry-run").stdout
        self.assertEqual(re.findall(r"(?m)^(\d+) games of (\d+) iterations, on (\d) CPUs?: ", plan),
                         [(n, i, str(p)) for n, i in (("128", "1000"), ("1024", "10"))
                          for p in (1, 2, 4) if p <= cpus])
        text, result = try_bench.measured("--repeat", "2", "--published", "--iterations", "2",
                                          "pthread")
        self.assertEqual({(c["games"], c["iterations"], c["on_cpus"]) for c in result["cells"]},
                         {(n, 2, p) for n in (128, 1024) for p in (1, 2, 4) if p <= cpus})
        first, second = text.split("./pp ")[1:]
        self.assertRegex(first, r"(?s)-v -n 128 -i 1000 -S 32768\n.*requeue NPTL +1.111s +1.959s"
                                r" +2.426s\n  pthread +[0-9.]+s ")
        self.assertRegex(second, r"Default NPTL +0.181s +0.394s over 2 min\n")
        for place, games, times in ((first, 128, 1000 / 2), (second, 1024, 10 / 2)):
            seconds = float(re.search(r"\n  pthread +([0-9.]+)s", place)[1])
            cell = next(c for c in result["cells"] if (c["games"], c["on_cpus"]) == (games, 1))
            self.assertAlmostEqual(seconds, times * cell["summary"]["median"], delta=0.001)

    def test_iterations_suit_the_games(self):
        _, result = try_bench.measured("--repeat", "2", "-n", "1,7,70", "-p", "1400", "pthread")
        found = {cell["games"]: cell["iterations"] for cell in result["cells"]}
        self.assertEqual(found, {1: 700, 7: 100, 70: 50})


if __name__ == "__main__":
    try_bench.main(sys.argv)
