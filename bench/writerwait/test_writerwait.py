#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs writerwait as a user would, briefly.  Arguments: the command."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))

import try_bench  # noqa: E402


class Refusals(try_bench.Refusals):
    def test_numbers(self):
        self.numbers("--readers", ("0", "x", "1000000"))
        self.numbers("--section", ("0", "99", "2 us", "2000,"))
        self.numbers("--writes", ("0", ""))

    def test_list(self):
        self.assertIn("furwock-br ", try_bench.run("--list").stdout)


class Whole(try_bench.Result):
    def test_distribution(self):
        text, result = try_bench.measured("--repeat", "2", "--writes", "50", "--section",
                                          "2000,10000", "furwock-br", "furwock-rw")
        self.check(result, "writerwait", 2)
        self.assertEqual({cell["lock"] for cell in result["cells"]},
                         {"furwock-br", "furwock-rw", "pthread-rw-writers"})
        for cell in result["cells"]:
            waits = cell["waits"]
            self.assertEqual(waits["all"]["n"], waits["quiet"]["n"] + waits["disturbed"])
            self.assertLessEqual(waits["all"]["n"], 100)
            for kind in ("all", "quiet"):
                if waits[kind]["n"] > 0:
                    self.assertLessEqual(waits[kind]["p50"], waits[kind]["p99"])
                    self.assertLessEqual(waits[kind]["p99"], waits[kind]["p99.9"])
            self.assertGreater(cell["measured_ns"], cell["section_ns"] / 3)
        self.assertIn("waits in sections", text)


if __name__ == "__main__":
    try_bench.main(sys.argv)
