#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs latency as a user would, briefly.  Arguments: the command."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))

import try_bench  # noqa: E402


class Resumed(try_bench.Resumed):
    WORDS = ("furwock-auto",)


class Refusals(try_bench.Refusals):
    def test_nothing_to_compare(self):
        self.assertIn("nothing to compare", self.refused_in_a_line("posix"))


class Whole(try_bench.Result):
    def test_everything(self):
        text, result = try_bench.measured("--repeat", "2")
        self.check(result, "latency", 2)
        cpus = result["machine"]["cpus"]
        found = {(cell["object"], cell["test"], cell["parties"]) for cell in result["cells"]}
        for point in (("semaphore", "alone", 1), ("event", "alone", 1), ("barrier", "alone", 1),
                      ("semaphore", "hand-off", 2), ("automatic event", "hand-off", 2),
                      ("barrier", "round", 2), ("barrier", "round", 4 * cpus)):
            self.assertIn(point, found)
        self.assertIn("semaphore, alone", text)

    def test_one_lock(self):
        _, result = try_bench.measured("--repeat", "2", "furwock-auto")
        self.assertEqual({cell["object"] for cell in result["cells"]}, {"automatic event"})


if __name__ == "__main__":
    try_bench.main(sys.argv)
