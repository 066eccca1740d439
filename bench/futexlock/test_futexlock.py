#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs futexlock as a user would, briefly.  Arguments: the command with locks of its
own, the command."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))

import try_bench  # noqa: E402
from infull import in_full  # noqa: E402

BROKEN = []                     # the command with locks of its own
BRIEF = ("--sweep", "--repeat", "2", "--milliseconds", "5")
OUTPUT = re.compile(r"""futexlock: Measure lock operations per second
\tArguments: iterations=20000 threads=(\d+) adaptive=(yes|no)
\t           period=(\d+) duty-cycle=(\d+)%
\t           lock=(\S+)
Result: (\d+) Kiter/s
lock calls:      20000
lock syscalls:   (.+)
unlock calls:    20000
unlock syscalls: (.+)
CPU time:        [\d.]+ s \(\d+ ns per iteration, \d+ ns of them the instructions\)
switches:        [\d.]+ voluntary and [\d.]+ involuntary per iteration
(?:Hart, 2010:      normal: 606 Kiter/s; lock syscalls 35.73%, unlock 41.74%
Hart, 2010:      adaptive: 749 Kiter/s; lock syscalls 72.26%, unlock 72.27%
)?""")
COUNTED = re.compile(r"(\d+) \(([\d.]+)%\)")


def once(*words):
    """The groups of what one run says."""
    done = try_bench.run("-i", "20000", *words)
    found = OUTPUT.fullmatch(done.stdout)
    if done.returncode != 0 or not found:
        raise AssertionError(f"status {done.returncode}: {done.stdout}{done.stderr}")
    return found.groups()


class Resumed(try_bench.Resumed):
    WORDS = ("--sweep", "--milliseconds", "5", "-n", "2", "-d", "10", "furwock")


class Refusals(try_bench.Refusals):
    def test_numbers(self):
        self.numbers("--iterations", ("0", "-1", "x", "", "1000000000001", "9" * 40, "1e6"))
        self.numbers("--threads", ("0", "x", "1,", ",1", "-1", "100001", "9" * 40, "",
                                   ",".join(["1"] * 17)))
        self.numbers("--period", ("0", "-1", "x", "1000000001", "9" * 40))
        self.numbers("--duty-cycle", ("-1", "101", "x", "10%", "10,101", ""))
        self.numbers("--milliseconds", ("0", "x", "600001"))

    def test_short_options_are_told_by_their_long_names(self):
        self.assertIn("--duty-cycle", self.refused_in_a_line("-d101"))
        self.assertIn("--threads", self.refused_in_a_line("-n0"))

    def test_locks(self):
        said = self.refused_in_a_line("--lock", "no-such-lock")
        self.assertIn("furwock-block", said)
        self.assertIn("between processes", self.refused_in_a_line("--lock", "fcntl"))
        self.assertIn("--lock furwock", self.refused_in_a_line("-a", "--lock", "pthread"))

    def test_what_goes_with_a_sweep(self):
        for words in (("furwock",), ("--repeat", "3"), ("--budget", "3"), ("-n", "1,2"),
                      ("-d", "1,2"), ("--milliseconds", "3"), ("--summary",)):
            with self.subTest(words=words):
                self.assertIn("go with --sweep only", self.refused_in_a_line(*words))
        for words in (("-i", "5"), ("-a",), ("--lock", "pthread"), ("--uncounted",)):
            with self.subTest(words=words):
                self.assertIn("--sweep takes no", self.refused_in_a_line("--sweep", *words))

    def test_too_many_threads(self):
        # Room for thousands of threads, which leave process ids to others.
        script = ("import os, resource, sys\n"
                  "resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))\n"
                  "os.execv(sys.argv[1], sys.argv[1:])")
        command = [sys.executable, "-c", script, *try_bench.COMMAND]
        if subprocess.run([*command, "--list"], capture_output=True, check=False).returncode != 0:
            self.skipTest("it does not even start in so little memory")
        done = subprocess.run([*command, "-n", "90000", "-i", "1"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("cannot start 90000 threads", done.stderr)


class Lengths(try_bench.Lengths):
    EXACT = ("--milliseconds", "5")
    FEW = ("--sweep", "-d", "10", "furwock")


class Once(unittest.TestCase):
    """One run tells what Hart's program told, in his words."""

    def test_output(self):
        threads, adaptive, period, duty, lock, speed, locking, unlocking = once(
            "-n8", "-p1000", "-d10")
        self.assertEqual((threads, adaptive, period, duty, lock),
                         ("8", "no", "1000", "10", "furwock-block"))
        self.assertGreater(int(speed), 0)
        for text in (locking, unlocking):
            counted = COUNTED.fullmatch(text)
            if counted:
                self.assertAlmostEqual(int(counted[1]) / 200, float(counted[2]), delta=0.01)
            else:
                self.assertRegex(text, r"^not counted \(.+\)$")

    def test_hart_below_his_own_run_only(self):
        done = try_bench.run("-i", "20000", "-n8", "-p1000", "-d10", "-u")
        self.assertIn("\nHart, 2010:      normal: 606 Kiter/s", done.stdout)
        done = try_bench.run("-i", "20000", "-n4", "-p1000", "-d10", "-u")
        self.assertNotIn("Hart", done.stdout)

    def test_adaptive(self):
        self.assertEqual(once("-n", "2", "-a", "-u")[1:5:3], ("yes", "furwock"))
        self.assertEqual(once("-n", "2", "--lock", "furwock", "-u")[1], "yes")

    def test_uncounted(self):
        self.assertEqual(once("-n", "2", "--uncounted")[-2:], ("not counted (not asked for)",) * 2)

    def test_every_lock_between_threads(self):
        names = [line.split()[0] for line in try_bench.run("--list").stdout.splitlines()
                 if "missing: " not in line]
        self.assertIn("furwock-block", names)
        for name in names:
            with self.subTest(lock=name):
                done = try_bench.run("-i", "200", "-n", "2", "-u", "--lock", name)
                if done.returncode == 2:
                    self.assertIn("between processes", done.stderr)
                else:
                    self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_lock_that_sleeps_each_time_is_counted(self):
        """Both sides of a lock that asks the kernel for each operation, and those only."""
        locking, unlocking = once("-n", "1", "--lock", "sysv")[-2:]
        if not COUNTED.fullmatch(locking):
            self.skipTest(locking)
        # A semaphore operation is no futex call: which of the two it was for cannot be seen.
        self.assertAlmostEqual(int(COUNTED.fullmatch(locking)[1]), 40000, delta=200)
        self.assertLess(int(COUNTED.fullmatch(unlocking)[1]), 100)

    def test_waits_and_wakes_are_told_apart(self):
        """A holder that works for long makes the others sleep; each sleeper is woken once."""
        done = try_bench.run("-i", "400", "-n", "4", "-p", "2000000", "-d", "95", "--lock",
                             "pthread-pi")
        counted = COUNTED.findall(done.stdout)
        if not counted:
            self.skipTest("system calls are not counted here")
        locking, unlocking = (int(number) for number, _ in counted)
        self.assertGreater(locking, 100)
        self.assertGreater(unlocking, 100)

    def test_the_extremes(self):
        for words in (("-d0",), ("-d100",), ("-p1",), ("-n", "200")):
            with self.subTest(words=words):
                self.assertGreater(int(once("-u", *words)[5]), 0)

    def test_fewer_iterations_than_threads(self):
        done = try_bench.run("-i", "3", "-n", "16", "-u")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("lock calls:      3\n", done.stdout)

    def test_the_duty_takes_its_time(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "result.json")
            found = []
            for period in ("1000", "1000000"):
                spent = []
                for _ in range(5):  # what disturbs the machine only adds: the least counts
                    done = try_bench.run("-i", "300", "-n1", "-p", period, "-u", "--json",
                                         str(path))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    cell = json.loads(path.read_text(encoding="utf-8"))["cells"][0]
                    spent.append(cell["runs"][0]["cpu_seconds"])
                found.append(min(spent))
        self.assertGreater(found[1], 50 * found[0])

    def test_an_interrupt_ends_it(self):
        with subprocess.Popen([*try_bench.COMMAND, "-i", "1000000000000", "-n", "2"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            while len(os.listdir(f"/proc/{child.pid}/task")) < 3:  # with the two threads
                time.sleep(0.01)
            time.sleep(0.7)
            child.send_signal(signal.SIGINT)
            out, said = child.communicate(timeout=900)
        self.assertEqual(child.returncode, 1)
        self.assertRegex(said, r"^futexlock: interrupted after \d+ of 1000000000000 iterations\n$")
        self.assertIn("Kiter/s", out)


class Broken(unittest.TestCase):
    """What a lock does to the benchmark that lets everybody in."""

    def run_it(self, *words):
        return subprocess.run([*BROKEN, *words], capture_output=True, text=True, timeout=900,
                              check=False)

    def test_once(self):
        # Visits that never overlap do no harm: until two did.
        for _ in range(20):
            done = self.run_it("-i", "3000", "-n", "4", "-p", "100000", "-d", "100", "-u", "--lock",
                               "open")
            if done.returncode != 0:
                break
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertRegex(done.stderr, r"^futexlock: open let two threads in at once: \d+ visits "
                                      r"were lost\n$")

    @in_full
    def test_sweep(self):
        done = self.run_it("--sweep", "--repeat", "20", "--milliseconds", "20", "-p",
                           "100000", "-n", "4", "-d", "100", "open")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("let two threads in at once", done.stdout)

    def test_what_is_not_there(self):
        for words in (("--lock", "absent"), ("--sweep", "absent")):
            done = self.run_it(*words)
            self.assertEqual((done.returncode, done.stderr),
                             (2, "futexlock: absent is missing: libabsent-dev\n"))
        done = self.run_it("-a")
        self.assertEqual(done.returncode, 2)
        self.assertIn('no lock "furwock"', done.stderr)


class Sweep(try_bench.Result):
    def test_sweep(self):
        text, result = try_bench.measured(*BRIEF, "-n", "8,1,8", "-d", "0,100,10",
                                          "furwock", "pthread")
        self.check(result, "futexlock", 2)
        self.assertEqual(len(result["cells"]), 2 * 3 * 3)
        self.assertEqual({(cell["threads"], cell["period"], cell["duty"])
                          for cell in result["cells"]},
                         {(n, 1000, d) for n in (1, 8) for d in (0, 10, 100)})
        self.assertEqual({cell["lock"] for cell in result["cells"]},
                         {"furwock", "furwock-block", "pthread"})
        self.assertLessEqual({cell["assist"] for cell in result["cells"]},
                             {"on", "off", "unknown"})
        self.assertGreater(result["settings"]["instruction_ns"], 0)
        for cell in result["cells"]:
            for one in cell["runs"]:
                self.assertGreaterEqual(one["cpu_seconds"], one["burnt_seconds"])
                self.assertIn("lock_syscalls", one)
                self.assertIn("unlock_syscalls", one)
            self.assertNotIn("failures", cell)
        for wanted in ("period 1000, duty cycle 10 %: Kiter/s", "CPU time burnt", "(ideal)",
                       "goals", "furwock at least 1.24 of furwock-block's throughput: "):
            self.assertIn(wanted, text)

    def test_hart_beside_today(self):
        """His message of 8 April 2010: 606 and 749 Kiter/s; then the plots by duty cycle."""
        text, result = try_bench.measured(*BRIEF, "-n", "1,8", "-d", "10,50", "furwock",
                                          "furwock-block", "pthread")
        table = text.split("Hart's run, -n8 -p1000 -d10")[1].splitlines()
        self.assertRegex(table[2], r"Hart 2010, normal +606 +35.73% +41.74% +1.00 ")
        self.assertRegex(table[3], r"Hart 2010, adaptive +749 +72.26% +72.27% +1.24 ")
        rows = {line.split()[0]: line for line in table[4:7]}
        for lock, line in rows.items():
            cell = next(c for c in result["cells"]
                        if (c["lock"], c["threads"], c["duty"]) == (lock, 8, 10))
            self.assertAlmostEqual(int(line.split()[1]), 1e-3 / cell["summary"]["median"], delta=1)
        self.assertEqual(set(rows), {"furwock", "furwock-block", "pthread"})
        self.assertRegex(rows["pthread"], r" 1\.00 ")

        for duty in (10, 50):
            plot = text.split(f"period 1000, duty cycle {duty} %: Kiter/s over threads\n")[1]
            names = re.findall(r"(?m)^  ([a-c]) (\S+)$", plot[:200])
            self.assertEqual({name for _, name in names}, {"furwock", "furwock-block", "pthread"})
            body = plot[:plot.index("threads")]
            for letter, _ in names:     # a letter at one thread, and at eight
                columns = [line.split("|")[1] for line in body.splitlines() if "|" in line]
                self.assertEqual(sum(row.count(letter) for row in columns), 2, body)
            self.assertRegex(plot, r"\n +threads +1 +8 *\n")

    def test_few_points_are_told_in_full(self):
        text, _ = try_bench.measured(*BRIEF, "-n", "2", "-d", "10", "furwock-spin7")
        self.assertIn("ratio to furwock-block", text)
        self.assertIn("Kiter/s", text)
        self.assertIn("not measured", text)

    def test_summary(self):
        done = try_bench.run(*BRIEF, "-n", "8", "-d", "10", "--summary", "furwock",
                             "furwock-spin7")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Kiter/s", done.stdout)
        self.assertRegex(done.stdout, r"throughput: [\d.]+ \(too few\), open; a lock that costs "
                                      r"nothing: [\d.]+\n")

    def test_spinners_are_left_out_where_they_are_too_many(self):
        many = max(8, 4 * len(os.sched_getaffinity(0))) + 1
        _, result = try_bench.measured(*BRIEF, "-n", f"2,{many}", "-d", "10", "furwock-spin")
        self.assertEqual({cell["threads"] for cell in result["cells"]
                          if cell["lock"] == "furwock-spin"}, {2})

    @in_full
    def test_a_budget_ends_it(self):
        _, result = try_bench.measured("--sweep", "--repeat", "10000", "--budget", "1",
                                       "--milliseconds", "5", "-n", "2", "-d", "10", "furwock")
        self.assertGreaterEqual(result["rounds"], 2)
        self.assertLess(result["rounds"], 10000)


if __name__ == "__main__":
    BROKEN.append(sys.argv.pop(1))
    try_bench.main(sys.argv)
