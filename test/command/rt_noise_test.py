#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock rt run beside what disturbs it: CPUs that stand still, memory that is moved."""

import contextlib
import json
import pathlib
import re
import subprocess
import sys
import unittest

import command_test
import rt_sets
from rt_run_test import CPU, GENEROUS, NOT_VALID, Case, small


# A thread before all others of its CPU takes half of the time, 10 ms by 10 ms, until it is killed.
SPINNER = f"""
import os, time
os.sched_setaffinity(0, [{CPU}])
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(os.sched_get_priority_max(os.SCHED_FIFO)))
print("", flush=True)
while True:
    end = time.monotonic() + 0.01
    while time.monotonic() < end:
        pass
    time.sleep(0.01)
"""


@contextlib.contextmanager
def spinner(case):
    with subprocess.Popen([sys.executable, "-c", SPINNER], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as process:
        try:
            if not process.stdout.readline():
                case.skipTest("no right to the highest priority")
            yield
        finally:
            process.kill()


class Noise(Case):
    def test_noise(self):
        """A CPU that stands still for half of the time: the run is not valid, unless so much noise
        is asked for."""
        words = ["rt", "run", "--json", "--tier", "A", "-p", "PCP", "-n", "300", *GENEROUS]
        path = self.file(small())
        with spinner(self):
            strict = command_test.furwock(*words, "--max-noise", "1", path)
            lenient = command_test.furwock(*words, "--max-noise", "100", path)
            text = command_test.furwock(*[word for word in words if word != "--json"],
                                        "--max-noise", "1", path)
        if not strict.stdout:
            self.skipTest(strict.stderr.strip())
        found = json.loads(strict.stdout)
        self.assertEqual((strict.returncode, found["valid"]), (NOT_VALID, False), strict.stderr)
        self.assertGreater(found["noise"]["stalled_percent"], 1)
        self.assertEqual(found["noise"]["max_percent"], 1)
        self.assertRegex(strict.stderr,
                         r"^furwock rt run: not a valid run: .*--max-noise is 1 %\n$")
        found = json.loads(lenient.stdout)
        self.assertEqual((lenient.returncode, lenient.stderr), (0, ""))
        self.assertTrue(found["valid"])
        self.assertEqual(text.returncode, NOT_VALID)
        self.assertRegex(text.stdout,
                         r"\n  CPUs stood still for more than 50 us: [0-9.]+ %\n"
                         r"  stolen by a hypervisor: ")

    @command_test.in_full
    def test_stall(self):
        """What is no stall yet makes no run invalid."""
        words = ["rt", "run", "--json", "--tier", "A", "-p", "PCP", "-n", "300", *GENEROUS,
                 "--max-noise", "1", self.file(small())]
        with spinner(self):
            short = command_test.furwock(*words)
            for _ in range(5):      # a hypervisor may take a CPU away for a second
                long = command_test.furwock(*words, "--stall", "1e6")
                if long.returncode == 0:
                    break
        if not short.stdout:
            self.skipTest(short.stderr.strip())
        self.assertEqual(short.returncode, NOT_VALID, short.stderr)
        self.assertEqual(json.loads(short.stdout)["noise"]["stall_us"], 50)
        self.assertEqual((long.returncode, long.stderr), (0, ""))
        noise = json.loads(long.stdout)["noise"]
        self.assertEqual((noise["stall_us"], noise["stalled_percent"]), (1e6, 0))

    def run_sets(self, *words):
        """rt_sets.py, on the CPU of the spinner."""
        path = pathlib.Path(self.folder.name) / "sets.json"
        done = subprocess.run(["taskset", "-c", str(CPU), sys.executable, "-B",
                               rt_sets.__file__, command_test.PROGRAM[0], "--jobs", "300",
                               "--protocol", "PCP", "--keep", self.folder.name, *GENEROUS, "--json",
                               str(path), *words],
                              text=True, capture_output=True, check=False)
        if done.returncode == 77:
            self.skipTest(done.stderr.strip())
        return done, json.loads(path.read_text(encoding="utf-8"))

    @command_test.in_full
    def test_sets(self):
        """rt_sets.py hands on how much noise is allowed, and from when on it is noise."""
        with spinner(self):
            strict, noted = self.run_sets("--max-noise", "1")
            self.assertEqual(strict.returncode, NOT_VALID, strict.stderr)
            self.assertIn("--max-noise is 1 %", strict.stderr)
            self.assertEqual((noted["max_noise_percent"], noted["stall_us"]), (1, 50))
            lenient, noted = self.run_sets("--max-noise", "100", "--stall", "60")
        self.assertEqual((lenient.returncode, lenient.stderr), (0, ""))
        self.assertEqual((noted["max_noise_percent"], noted["stall_us"]), (100, 60))
        self.assertEqual(noted["protocols"][0]["sets_not_valid"], 0)

    def test_huge_pages(self):
        """While tasks are at work the kernel replaces no small pages by huge ones: who touches one
        of them sleeps for milliseconds meanwhile."""
        words = [*command_test.PROGRAM, "rt", "run", "--tier", "A", "-p", "PCP", "-n", "1000000",
                 self.file(small())]
        threads, seen = 1, ""
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as process:
            try:
                while process.poll() is None and threads == 1:
                    seen = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
                    threads = int(re.search(r"\nThreads:\t(\d+)\n|$", seen)[1] or 1)
            finally:
                process.kill()
            said = process.stderr.read()
        if threads == 1:
            self.skipTest(said.strip())
        if "\nTHP_enabled:" not in seen:
            self.skipTest("this kernel does not tell")
        self.assertIn("\nTHP_enabled:\t0\n", seen)


if __name__ == "__main__":
    command_test.PROGRAM[:] = sys.argv[1:2]
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
