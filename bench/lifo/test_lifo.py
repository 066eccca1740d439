#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs lifo as a user would, briefly.  Arguments: a library that is broken, and the command."""

import os
import pathlib
import signal
import subprocess
import sys
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))

import try_bench  # noqa: E402

SHIMS = {"futex", "listing1", "gustedt-text", "mutex", "furwock-mutex", "musl", "spin"}
LIBRARIES = {"furwock", "native", "furwock-clang", "native-clang"}
BRIEF = ("--repeat", "2", "--duration", "4")


class Resumed(try_bench.Resumed):
    WORDS = ("--duration", "4", "-t", "2", "-H", "32", "futex")


class Refusals(try_bench.Refusals):
    def test_unknown_lock_names_what_exists(self):
        said = self.refused_in_a_line("no-such-lock")
        for lock in SHIMS:
            self.assertIn(lock, said)

    def test_list(self):
        done = try_bench.run("--list")
        self.assertEqual(done.returncode, 0)
        named = {line.split()[0] for line in done.stdout.splitlines()}
        self.assertEqual(named, SHIMS | LIBRARIES)

    def test_numbers(self):
        self.numbers("--threads", ("0", "x", "3,", "10001"))
        self.numbers("--head", ("0", "8", "25", "32,33", "257", "wide"))
        self.numbers("--duration", ("0", "-5", "long"))

    def test_a_grid_is_a_grid(self):
        self.assertIn("--grid", self.refused_in_a_line("--grid", "-t", "3"))

    def test_what_is_published_is_published(self):
        for words in (("--duration", "5"), ("--repeat", "3")):
            self.assertIn("--published", self.refused_in_a_line("--published", *words))


class Published(unittest.TestCase):
    def test_it_says_how_long_it_takes(self):
        with subprocess.Popen([*try_bench.COMMAND, "--published", "-t", "2", "-H", "32", "futex"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as running:
            said = running.stderr.readline()
            running.send_signal(signal.SIGINT)
            rest = running.stderr.read()
        # Two locks, 10 s and an eighth before, ten times.
        self.assertIn("4 minutes for 10 repetitions", said)
        self.assertIn("interrupted", rest)


class Whole(try_bench.Result):
    def test_both_compilers_are_named(self):
        _, result = try_bench.measured(*BRIEF, "-t", "2", "-H", "32")
        compilers = result["settings"]["compilers"]
        self.assertLessEqual({cell["lock"] for cell in result["cells"]}, compilers.keys())
        for lock, compiler in compilers.items():
            self.assertRegex(compiler, r"^(gcc|clang) \d+", lock)
            if lock.endswith("-clang"):
                self.assertTrue(compiler.startswith("clang"), compiler)
        missing = {gone["lock"]: gone["why"] for gone in result["missing"]}
        if "furwock-clang" not in compilers:
            self.assertIn("clang", missing["furwock-clang"])

    def test_every_lock(self):
        text, result = try_bench.measured(*BRIEF, "--threads", "1,3,17", "--head", "24")
        self.check(result, "lifo", 2)
        missing = {gone["lock"] for gone in result["missing"]}
        self.assertEqual({cell["lock"] for cell in result["cells"]} | missing,
                         SHIMS | LIBRARIES)
        self.assertEqual({(cell["head"], cell["threads"], cell["duration_ms"])
                          for cell in result["cells"]}, {(24, 1, 4), (24, 3, 4), (24, 17, 4)})
        self.assertIn("head of 24 bytes, 17 threads", text)
        self.assertIn("elements per second, in millions", text)
        self.assertIn("elements per second, times the mutex's", text)

    def test_named_locks_are_compared_with_the_mutex(self):
        text, result = try_bench.measured(*BRIEF, "-t", "2", "-H", "64,256", "--pin", "spin")
        self.assertIn("2 pinned threads", text)
        self.assertEqual({cell["lock"] for cell in result["cells"]}, {"spin", "mutex"})
        self.assertEqual({cell["head"] for cell in result["cells"]}, {64, 256})

    def test_sixteen_bytes_are_for_the_libraries(self):
        _, result = try_bench.measured(*BRIEF, "-t", "3", "-H", "16")
        missing = {gone["lock"] for gone in result["missing"]}
        self.assertEqual({cell["lock"] for cell in result["cells"]} | missing,
                         LIBRARIES | {"mutex"})

    def test_a_broken_library_is_found_out(self):
        with unittest.mock.patch.dict(os.environ, {"LIBATOMICS_FURWOCK": BROKEN}):
            done = try_bench.run(*BRIEF, "-t", "1", "furwock")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("furwock damages the stack", done.stderr)


if __name__ == "__main__":
    BROKEN = sys.argv.pop(1)
    try_bench.main(sys.argv)
