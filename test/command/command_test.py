#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program furwock: its arguments, and the shape of what it finds; no times."""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = []
IN_FULL = "TESTS_IN_FULL" in os.environ
in_full = unittest.skipUnless(IN_FULL, "only in full")
TOP = pathlib.Path(__file__).resolve().parent.parent.parent
QUICK = ["--seconds", "0.1"]
ALLOWED = sorted(os.sched_getaffinity(0))
NS = {"failed_wait", "sleep_switch", "look_alone", "look_parallel", "look_disturbed",
      "wake_elsewhere"}
FOR_TWO = {"look_parallel", "look_disturbed", "wake_elsewhere"}


def furwock(*words, **more):
    return subprocess.run([*PROGRAM, *words], text=True, stdout=more.pop("stdout", subprocess.PIPE),
                          stderr=subprocess.PIPE, timeout=more.pop("timeout", 900), check=False,
                          **more)


class Case(unittest.TestCase):
    def refused(self, status, *words, **more):
        """Refused with that status, before anything is printed, in one line of standard error."""
        done = furwock(*words, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertFalse(done.stdout)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr

    def good(self, *words, **more):
        done = furwock(*words, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout


class Program(Case):
    def test_version(self):
        self.assertRegex(self.good("--version"), r"^furwock [0-9]+\.[0-9]+\.[0-9]+\n$")

    def test_help(self):
        text = self.good("--help")
        self.assertIn("calibrate", text)
        self.assertEqual(self.good("help"), text)

    def test_help_of_a_subcommand(self):
        text = self.good("calibrate", "--help")
        self.assertIn("furwock calibrate", text)
        for option in ("--json", "--seconds", "--cpus", "t_fail"):
            self.assertIn(option, text)
        self.assertEqual(self.good("help", "calibrate"), text)



class Calibrate(Case):
    def assert_same(self, found, wanted):
        """Numbers are written with six digits, and on a busy machine they can be large."""
        self.assertAlmostEqual(found, wanted, delta=1e-4 * max(abs(wanted), 1))

    def spread(self, s):
        low, high = s["ci95"]
        self.assertLessEqual(low, s["median"])
        self.assertLessEqual(s["median"], high)
        return s["median"]

    def check(self, result, cpus):
        self.assertEqual(result["format"], "furwock-calibrate-1")
        self.assertEqual(result["p"], cpus)
        self.assertEqual(result["machine"]["cpus"], cpus)
        self.assertGreaterEqual(result["n_rounds"], 5)
        self.assertEqual(len(result["rounds"]), result["n_rounds"])
        missing = FOR_TWO if cpus == 1 else set()
        for one in result["rounds"]:
            self.assertEqual(set(one), NS)
            for name, value in one.items():
                self.assertTrue(value is None if name in missing else value > 0, (name, value))
        for name in (NS | {"t_fail"}) - missing:
            self.assertGreater(self.spread(result["ns"][name]), 0)
        for name in missing:
            self.assertIsNone(result["ns"][name]["median"])
        self.assert_same(self.spread(result["p_hat"]), cpus * self.spread(result["efficiency"]))
        self.check_budget(result)

    def check_budget(self, result):
        budget, built_in = result["budget"], result["built_in"]
        self.assertEqual(budget["factor"], 0.9)
        self.assertEqual(budget["spin"], result["p_hat"]["median"] >= 1.1)
        looks = self.spread(budget["ns"]) / result["ns"]["look_alone"]["median"]
        self.assert_same(budget["looks"], looks)
        self.assert_same(budget["pauses"], looks * built_in["pauses"])
        self.assertTrue(budget["spin"] or budget["looks"] == 0)
        header = (TOP / "atomic" / "word_lock.h").read_text(encoding="utf-8")
        for key in ("looks", "pauses"):
            constant = re.search(rf"#define FW_WORD_LOCK_{key.upper()}_ ([0-9]+)u?\n", header)
            self.assertEqual(built_in[key], int(constant.group(1)))
        self.assertIn(built_in["is"], ("far below", "within", "above"))
        self.spread(built_in["ns"])

    def test_result_goes_to_a_file_beside_the_table(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "result.json")
            path.write_text("x" * 1000000, encoding="ascii")     # what was there has to go
            text = self.good("calibrate", *QUICK, "--json", str(path))
            result = json.loads(path.read_text(encoding="utf-8"))
        self.check(result, len(ALLOWED))
        for word in ("t_fail", "t_look", "E ", "P-hat", "t_mono", "built in: ", "pauses"):
            self.assertIn(word, text)
        self.assertIn("Spin for at most" if result["budget"]["spin"] else "Do not spin", text)

    def test_no_room_for_the_file(self):
        """What was in it stays; a file that was new goes."""
        def no_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

        with tempfile.TemporaryDirectory() as folder:
            old, new = pathlib.Path(folder, "old.json"), pathlib.Path(folder, "new.json")
            old.write_text("before", encoding="ascii")
            for path in (old, new):
                done = furwock("calibrate", *QUICK, "--json", str(path), preexec_fn=no_room)
                self.assertEqual((done.returncode, done.stderr), (
                    1, f"furwock calibrate: cannot write {path}: File too large\n"))
            self.assertEqual(old.read_text(encoding="ascii"), "before")
            self.assertFalse(new.exists())

    def test_one_cpu(self):
        cpu = ALLOWED[-1]
        text = self.good("calibrate", *QUICK, "--cpus", str(cpu), "--json", "-")
        result = json.loads(text)
        self.check(result, 1)
        self.assertEqual(result["cpu_list"], str(cpu))
        self.assertFalse(result["budget"]["spin"])
        self.assertIn("there is one CPU",
                      self.good("calibrate", *QUICK, "--cpus", f"{cpu}-{cpu},{cpu}"))

    def test_only_what_is_allowed_is_used(self):
        text = self.good("calibrate", *QUICK, "--json", "-",
                         preexec_fn=lambda: os.sched_setaffinity(0, {ALLOWED[0]}))
        self.assertEqual(json.loads(text)["cpu_list"], str(ALLOWED[0]))


if __name__ == "__main__":
    PROGRAM[:] = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
