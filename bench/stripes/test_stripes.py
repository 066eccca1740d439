#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs stripes as a user would, briefly.  Arguments: the command."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))

import try_bench  # noqa: E402

IDEAL = 1024
WORST = 8       # times as often as by an ideal hash
LEGEND = "library: furwock's; product: the same without the fold; line: address / 64"


class Whole(try_bench.Result):
    def test_all(self):
        text, result = try_bench.measured("--repeat", "2")
        self.check(result, "stripes", 2)
        self.assertEqual({cell["scenario"] for cell in result["cells"]},
                         {"two store", "one loads, one stores", "many"})
        lines = text.splitlines()
        first = next(at for at, line in enumerate(lines) if line.startswith("objects ")) + 1
        sets = [line.split() for line in lines[first:lines.index(LEGEND)]]
        self.assertEqual(len(sets), 15)
        for row in sets:
            at_1024 = row[-5]
            self.assertTrue(at_1024 == "never" or float(at_1024) > IDEAL / WORST, row)
        worst_of_product = float(sets[-1][-3])
        self.assertLess(worst_of_product, IDEAL / WORST)    # that is why there is a fold

    def test_refusals(self):
        for words in (("1024",), ("--repeat=1",), ("--no-such-option",)):
            self.assertEqual(try_bench.run(*words).returncode, 2)


if __name__ == "__main__":
    try_bench.main(sys.argv)
