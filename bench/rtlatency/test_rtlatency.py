#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs rtlatency as a user would, briefly.  Arguments: the command."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))

import try_bench  # noqa: E402
from infull import IN_FULL  # noqa: E402

BRIEF = ("--quick",)
SLOW = ("PCP", "MPCP", "FMLP+")
FAST = ("PCP-DU-BOOL", "MPCP-DU", "FMLP+-DU")


def is_allowed():
    """May this process have SCHED_FIFO?"""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    except PermissionError:
        return False
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    return True


class Resumed(try_bench.Resumed):
    WORDS = ("--pairs", "--group", "2", "PCP-DU-BOOL")

    def setUp(self):
        if not is_allowed():
            self.skipTest("SCHED_FIFO is refused")


class Refusals(try_bench.Refusals):
    def test_unwritable_file_is_said_before_measuring(self):
        if not is_allowed():
            self.skipTest("SCHED_FIFO is refused")
        self.assertIn("/nonexistent/file.json", self.refused("--json", "/nonexistent/file.json"))

    def test_numbers(self):
        self.numbers("--group", ("1", "65", "x", "2,", ""))
        self.numbers("--milliseconds", ("0", "9", "5001", "1s"))
        self.numbers("--seed", ("-1", "0x1", "4294967296"))
        self.numbers("--tier", ("C", "", "a"))

    def test_both_is_all(self):
        self.assertIn("--pairs", self.refused_in_a_line("--pairs", "--tasks"))

    def test_unknown_lock_names_what_exists(self):
        said = self.refused_in_a_line("no-such-lock")
        for name in ("PRIO_INHERIT", "PCP-DU-BOOL", "FMLP+-DU"):
            self.assertIn(name, said)

    def test_list(self):
        done = try_bench.run("--list")
        self.assertEqual(done.returncode, 0)
        self.assertIn("\nPCP-DU-BOOL ", done.stdout)


class Allowed(try_bench.Result):
    def setUp(self):
        if not is_allowed():
            self.skipTest("SCHED_FIFO is refused")

    def test_pairs(self):
        text, result = try_bench.measured(*BRIEF, "--pairs", "--group", "2,5",
                                          "PRIO_PROTECT", "PCP", *FAST)
        self.check(result, "rtlatency", 2)
        self.assertEqual({cell["tasks"] for cell in result["cells"]}, {2, 5})
        for cell in result["cells"]:
            calls = cell["runs"][0]["syscalls"]
            if calls is not None and cell["lock"] in FAST:
                self.assertLess(calls, 0.1, cell["lock"])
            if calls is not None and cell["lock"] in SLOW + ("PRIO_PROTECT",):
                self.assertGreater(calls, 1, cell["lock"])
        self.assertIn("pairs: 5 tasks on 1 CPU: goals", text)

    def check_distribution(self, scheduling, lock):
        cdf = scheduling["cdf"]
        self.assertEqual([cdf[0][0], cdf[50][0], cdf[-2][0], cdf[-1][0]], [0, 50, 99.9, 100], lock)
        self.assertEqual([value for _, value in cdf], sorted(value for _, value in cdf))
        self.assertEqual(cdf[-1][1], scheduling["most"])
        self.assertEqual(cdf[50][1], scheduling["median"])

    def test_a_call_that_a_baseline_need_not_make_is_an_extra(self):
        _, result = try_bench.measured(*BRIEF, "--pairs", "--group", "2", "--tier", "A", "PCP",
                                       "PCP+PI", "PCP-DU-BOOL")
        calls = {cell["lock"]: cell["runs"][0]["syscalls"] for cell in result["cells"]}
        self.assertIn("PCP+PI", calls)
        if calls["PCP"] is not None:
            self.assertAlmostEqual(calls["PCP"], 2, delta=0.1)
            self.assertAlmostEqual(calls["PCP+PI"], 4, delta=0.1)

    def test_tasks(self):
        if "perf_event_open" in try_bench.run(*BRIEF, "--tasks", "PCP-DU-BOOL").stderr:
            self.skipTest("perf_event_open is refused")
        text, result = try_bench.measured(*BRIEF, "--tasks", "--milliseconds",
                                          "100" if IN_FULL else "30")
        cells = {(cell["cpus"], cell["lock"]): cell["ns"] for cell in result["cells"]}
        for (_, lock), figures in cells.items():
            self.assertEqual(set(figures),
                             {"lock_free", "unlock_free", "lock_taken", "unlock_taken",
                              "unlock_at_once", "unlock_waited", "clock", "scheduling"})
            self.check_distribution(figures["scheduling"], lock)
            apart = figures["unlock_at_once"]["of"] + figures["unlock_waited"]["of"]
            self.assertLessEqual(apart, figures["unlock_free"]["of"], lock)
            self.assertGreater(figures["clock"]["n"], 0, lock)
            self.assertNotIn("paper_average", figures["clock"])
            free = figures["lock_free"]
            self.assertGreater(free["n"], 0, lock)
            self.assertLessEqual(free["average"], free["most"])
            self.assertLessEqual(free["p99"], free["most"])
        self.assertIn((1, "PCP-DU-BOOL"), cells)
        self.assertNotIn((1, "PCP+PI"), cells)
        self.assertIn("Figure 1", text)
        self.assertEqual(cells[1, "PCP"]["lock_free"]["paper_average"], 645)
        self.assertIn("in the paper", text)

    def test_named(self):
        _, result = try_bench.measured(*BRIEF, "--pairs", "--group", "2", "PCP-DU-BOOL")
        self.assertEqual({cell["lock"] for cell in result["cells"]},
                         {"PRIO_INHERIT", "PCP-DU-BOOL"})


class Forbidden(try_bench.Result):
    def test_it_says_what_it_needs(self):
        if os.geteuid() != 0:
            self.skipTest("needs root, to give it up")
        before = list(try_bench.COMMAND)
        try_bench.COMMAND[:] = ["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice",
                                *before]
        try:
            done = try_bench.run("--quick")
        finally:
            try_bench.COMMAND[:] = before
        if done.returncode == 0:
            self.skipTest("it is allowed all the same")
        self.assertEqual(done.returncode, 77)
        self.assertIn("SCHED_FIFO", done.stderr)


if __name__ == "__main__":
    try_bench.main(sys.argv)
