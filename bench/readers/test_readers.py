#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs readers as a user would, briefly.  Arguments: the command."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))

import try_bench  # noqa: E402


class Refusals(try_bench.Refusals):
    def test_numbers(self):
        self.numbers("--cores", ("0", "x", "1,", "1000000", "4096"))
        self.numbers("--section", ("-1", "1 us"))
        self.numbers("--milliseconds", ("0", ""))

    def test_list(self):
        self.assertIn("furwock-br ", try_bench.run("--list").stdout)


class Whole(try_bench.Result):
    def test_all_cores(self):
        text, result = try_bench.measured("--repeat", "2", "--milliseconds", "2", "furwock-br")
        self.check(result, "readers", 2)
        cores = {cell["cores"] for cell in result["cells"]}
        self.assertEqual((min(cores), max(cores)), (1, result["machine"]["cpus"]))
        self.assertEqual({cell["lock"] for cell in result["cells"]},
                         {"furwock-br", "pthread-rw", "(nothing shared)"})
        for cell in result["cells"]:
            self.assertGreater(cell["per_core"]["median"], 0)
            if cell["cores"] == 1:
                self.assertEqual(cell["per_core"]["median"], 1)
        self.assertIn("relative to one core", text)

    def test_sections(self):
        _, result = try_bench.measured("--repeat", "2", "--milliseconds", "2", "--section", "500",
                                       "--cores", "1", "furwock-rw")
        self.check(result, "readers", 2)
        for cell in result["cells"]:
            self.assertEqual((cell["cores"], cell["section_ns"]), (1, 500))
            self.assertGreater(cell["summary"]["median"], 100e-9)  # an empty one: 20e-9


if __name__ == "__main__":
    try_bench.main(sys.argv)
