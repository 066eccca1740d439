#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs atomicmix as a user would, briefly.  Arguments: the command."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))

import try_bench  # noqa: E402

SHORT = ("--repeat", "2", "--milliseconds", "1")


class Resumed(try_bench.Resumed):
    WORDS = ("--size", "15", "--mix", "store", "--threads", "0", "--milliseconds", "1")


class Refusals(try_bench.Refusals):
    def test_unknown_lock_names_what_exists(self):
        said = self.refused_in_a_line("no-such-library")
        self.assertIn("furwock", said)
        self.assertIn("libatomic", said)

    def test_numbers(self):
        self.numbers("--size", ("0", "4097", "8,", "x"))
        self.numbers("--threads", ("-1", "65", "1,,2"))
        self.numbers("--offset", ("4096", "-1"))
        self.numbers("--milliseconds", ("0", ""))

    def test_words(self):
        for option, bad in (("--mix", ("", "loads", "50:51", "95:", ":5", "100:0:0:0:0", "load,")),
                            ("--place", ("", "near", "same,")), ("--order", ("", "consume"))):
            self.numbers(option, bad)

    def test_goals_take_no_points(self):
        for words in (("--size", "8"), ("--grid",), ("--offset", "1"), ("--order", "relaxed")):
            self.assertIn("--goals", self.refused_in_a_line("--goals", *words))


class Whole(try_bench.Result):
    def measured(self, *words):
        text, result = try_bench.measured(*SHORT, *words)
        if any(gone["lock"] in ("furwock", "libatomic") for gone in result["missing"]):
            self.skipTest(f"not both libraries are here: {result['missing']}")
        self.check(result, "atomicmix", 2)
        return text, result

    def test_a_choice(self):
        text, result = self.measured("--size", "15,32", "--mix", "store,95:5", "--threads", "0,2",
                                     "--place", "neighbours,far", "--offset", "1")
        cpus = result["machine"]["cpus"]
        found = {(cell["size"], cell["mix"], cell["threads"], cell["where"], cell["lock"])
                 for cell in result["cells"]}
        wanted = {(size, mix, threads, where, lock) for size in (15, 32)
                  for mix in ("store", "95:5")
                  for threads, where in ((1, "alone"), (2 * cpus, "neighbours"), (2 * cpus, "far"))
                  for lock in ("furwock", "libatomic")}
        self.assertEqual(found, wanted)
        self.assertEqual({cell["offset"] for cell in result["cells"]}, {1})
        self.assertIn("32 bytes at +1, 95:5, alone", text)
        self.assertNotIn("goals", text)
        self.assertEqual(set(result["settings"]["libraries"]), {"furwock", "libatomic"})

    def test_compare_exchange_alone_succeeds(self):
        _, result = self.measured("--size", "3,24", "--mix", "compare-exchange", "--threads", "0")
        self.assertEqual({cell["succeeded"] for cell in result["cells"]}, {1})

    def test_calls_for_pairs(self):
        _, result = self.measured("--sized", "--mix", "25:25:25:25", "--threads", "0,1")
        self.assertEqual({(cell["size"], cell["calls"]) for cell in result["cells"]}, {(16, "_16")})

    def test_goals_are_evaluate(self):
        text, result = self.measured("--goals")
        self.assertGreaterEqual(text.count("wanted: at most"), 28)
        self.assertEqual(text.count("wanted: at least"), 2)
        self.assertTrue(all("goal" in cell for cell in result["cells"]))
        self.assertEqual({cell["threads"] for cell in result["cells"] if cell["mix"] == "95:5"},
                         {2 * result["machine"]["cpus"]})


if __name__ == "__main__":
    try_bench.main(sys.argv)
