#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs pingpong as a user would, briefly.  Arguments: the command."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))

import try_bench  # noqa: E402


class Refusals(try_bench.Refusals):
    def test_numbers(self):
        self.numbers("--games", ("0", "x", "3,", "100001"))
        self.numbers("--iterations", ("0", "-5", "many"))
        self.numbers("--passes", ("0", "-5", "many"))
        self.numbers("--stack", ("0", "1023", "32k"))

    def test_a_grid_is_a_grid(self):
        self.assertIn("--grid", self.refused_in_a_line("--grid", "-n", "3"))


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

    def test_iterations_suit_the_games(self):
        _, result = try_bench.measured("--repeat", "2", "-n", "1,7,700", "-p", "14000",
                                       "pthread")
        found = {cell["games"]: cell["iterations"] for cell in result["cells"]}
        self.assertEqual(found, {1: 7000, 7: 1000, 700: 50})


if __name__ == "__main__":
    try_bench.main(sys.argv)
