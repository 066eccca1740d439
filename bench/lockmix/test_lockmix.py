#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs lockmix as a user would, briefly.  Arguments: the command."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))

import try_bench  # noqa: E402
from infull import in_full  # noqa: E402

BRIEF = ("--repeat", "2", "--duration", "5")


class Resumed(try_bench.Resumed):
    WORDS = ("--duration", "5", "--threads", "2", "furwock")


class Refusals(try_bench.Refusals):
    def test_numbers(self):
        self.numbers("--threads", ("0", "x", "1,", ",1", "-1", "100001", "",
                                   ",".join(["1"] * 17)))
        self.numbers("--antagonists", ("-1", "x", "10001", "1.5"))
        self.numbers("--duty", ("0", "101", "half"))
        self.numbers("--duration", ("0", "1s", "1000001"))
        self.numbers("--between", ("-1", "1000001"))
        self.numbers("--lines", ("0", "100001"))
        self.numbers("--buckets", ("0", "1000001"))
        self.numbers("--keys", ("0", "many"))
        self.numbers("--reads", ("-1", "101", "50%"))
        self.numbers("--locks", ("0", ""))
        self.numbers("--pairs", ("101", "-0"))
        self.numbers("--seed", ("-1", "0x1", "4294967296"))
        self.numbers("--zipf", ("-1", "x", "", "0x1", "inf", "nan", "1e1", "21", " 1", "1 ", ".",
                                "1.0.0"))

    def test_modes(self):
        self.numbers("--mode", ("two", "", "one,", ",one", "one,one", "one hash", "ONE"))

    def test_a_grid_is_a_grid(self):
        for words in (("--threads", "2"), ("--antagonists", "1")):
            self.assertIn("--grid", self.refused_in_a_line("--grid", *words))

    def test_every_bucket_has_a_key(self):
        self.assertIn("--keys", self.refused_in_a_line("--keys", "9", "--buckets", "10"))

    def test_too_many_threads(self):
        # Room for thousands of threads, which leave process ids to others.
        script = ("import os, resource, sys\n"
                  "resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))\n"
                  "os.execv(sys.argv[1], sys.argv[1:])")
        before = list(try_bench.COMMAND)
        try_bench.COMMAND[:] = [sys.executable, "-c", script, *before]
        try:
            if try_bench.run("--list").returncode != 0:
                self.skipTest("it does not even start in so little memory")
            done = try_bench.run(*BRIEF, "-t", "2,90000", "furwock")
        finally:
            try_bench.COMMAND[:] = before
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cannot run 90000 threads", done.stderr)
        self.assertIn("left out: one: 90000 threads", done.stdout)
        self.assertIn("one: 2 threads", done.stdout)


class Lengths(try_bench.Lengths):
    EXACT = ("--duration", "5")
    FEW = ("furwock",)


class Whole(try_bench.Result):
    def check_runs(self, result):
        for cell in result["cells"]:
            for run in cell["runs"]:
                self.assertGreater(run["throughput"], 0)
                self.assertAlmostEqual(run["throughput"] * run["seconds"], 1, delta=1e-3)
                self.assertGreater(run["cpu_ns"], 0)
                self.assertLessEqual(0, run["fairness"]["min_max"])
                self.assertLessEqual(run["fairness"]["min_max"], 1)
                self.assertLessEqual(0.5 - 1e-6, run["fairness"]["half"])
                self.assertLessEqual(run["fairness"]["half"], 1)
                waits = [run["wait_ns"][name] for name in ("p50", "p99", "p999", "max")]
                self.assertEqual(waits, sorted(waits))
            if cell["threads"] == 1:
                self.assertEqual(cell["runs"][0]["fairness"], {"min_max": 1, "half": 0.5})

    def test_modes(self):
        text, result = try_bench.measured(*BRIEF, "-m", "one,hash,many", "-t", "1,4", "-a", "0,1",
                                          "furwock", "furwock-block")
        self.check(result, "lockmix", 2)
        self.check_runs(result)
        points = {(cell["mode"], cell["threads"], cell["antagonists"])
                  for cell in result["cells"]}
        self.assertEqual(points, {(mode, threads, antagonists)
                                  for mode in ("one", "hash", "many") for threads in (1, 4)
                                  for antagonists in (0, 1)})
        self.assertEqual({cell["lock"] for cell in result["cells"]},
                         {"furwock", "furwock-block", "pthread"})
        for wanted in ("hash: 4 threads, 1 antagonist\n", "many: 1 thread, 0 antagonists\n",
                       "rate / pthread's", "over all points"):
            self.assertIn(wanted, text)

    def test_settings_are_told(self):
        _, result = try_bench.measured(*BRIEF, "-m", "many", "-t", "3", "--zipf", "10", "--locks",
                                       "7", "--pairs", "100", "--duty", "30", "-a", "1", "--seed",
                                       "4294967295", "furwock")
        self.check_runs(result)
        for name, value in {"zipf": 10, "locks": 7, "pairs": 100, "duty": 30,
                            "seed": 4294967295, "buckets": 100, "reads": 50}.items():
            self.assertEqual(result["settings"][name], value)
        cell = result["cells"][0]
        self.assertEqual((cell["zipf"], cell["duty"], cell["pieces"]), (10, 30, 0.002))

    def test_edges(self):
        for words in (("-m", "hash", "--keys", "1", "--buckets", "1"),
                      ("-m", "hash", "--zipf", "0", "--reads", "0"),
                      ("-m", "many", "--locks", "1"), ("-m", "one", "--lines", "1", "-w", "0")):
            with self.subTest(words=words):
                _, result = try_bench.measured(*BRIEF, "-t", "3", *words, "furwock")
                self.check_runs(result)

    @in_full
    def test_spinners_are_few_in_the_grid(self):
        if not re.search(r"^ck-mcs (?! *missing)", try_bench.run("--list").stdout, re.M):
            self.skipTest("no ck-mcs here")
        done = try_bench.run("--repeat", "2", "--duration", "1", "--budget", "1", "--grid", "-m",
                             "one")
        self.assertEqual(done.returncode, 0, done.stderr)
        points = [text.split("\n\n")[0] for text in done.stdout.split("\none: ")[1:]]
        self.assertIn("\n  furwock ", points[0])
        self.assertNotIn("\n  furwock-yield ", points[0])
        self.assertIn("\n  ck-mcs ", points[0])
        self.assertNotIn("\n  ck-mcs ", points[-1])

    def test_kernel_module(self):
        """Its locks are there where it is loaded; elsewhere they are missing, and why is said."""
        done = try_bench.run("kernel-lock", "--repeat", "2", "--dry-run")
        if os.access("/dev/furwock", os.R_OK | os.W_OK):
            self.assertEqual(done.returncode, 0, done.stderr)
        else:
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertRegex(done.stderr, "kernel-lock is missing: /dev/furwock: ")

    def test_a_lock_that_excludes_nobody_is_found_out(self):
        listed = try_bench.run("--list").stdout
        if not listed.startswith("none ") and "\nnone " not in listed:
            self.skipTest("no such lock here")
        done = try_bench.run("--repeat", "50", "--duration", "20", "-t", "8", "-w", "0", "none")
        if done.returncode == 0:
            self.skipTest("the threads never ran at the same time")
        self.assertEqual(done.returncode, 1)
        self.assertIn("none at one: 8 threads, 0 antagonists: sections overlapped", done.stderr)


def is_alive(process):
    """Whether it is there, and not only to be waited for by whoever inherited it."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Ended(unittest.TestCase):
    """However it ends, no antagonist goes on."""

    PATIENCE = 900

    def until(self, condition):
        deadline = time.monotonic() + self.PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def end_by(self, number, *words):
        if len(try_bench.COMMAND) > 1:
            self.skipTest("under an emulator")
        program = subprocess.Popen([*try_bench.COMMAND, "-a", "3", "-d", "2000", *words,
                                    "furwock"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        children = pathlib.Path(f"/proc/{program.pid}/task/{program.pid}/children")
        if not children.exists():
            program.kill()
            program.communicate()
            self.skipTest("the kernel does not tell who is whose child")
        self.until(lambda: len(children.read_text().split()) == 3)
        hogs = [pathlib.Path("/proc", pid) for pid in children.read_text().split()]
        program.send_signal(number)
        said = program.communicate(timeout=self.PATIENCE)[1]
        self.until(lambda: not any(map(is_alive, hogs)))
        return program.returncode, said

    @in_full
    def test_interrupted(self):
        # It ends after a run: the antagonists leave the CPUs to other tests for most of it.
        status, said = self.end_by(signal.SIGINT, "--duty", "5")
        self.assertEqual(status, 1)
        self.assertIn("interrupted after 0 of 11 repetitions", said)

    def test_killed(self):
        self.assertEqual(self.end_by(signal.SIGKILL)[0], -signal.SIGKILL)


if __name__ == "__main__":
    try_bench.main(sys.argv)
