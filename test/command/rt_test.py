#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock rt: its words, and what status says of a group, and of what is none."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import command_test
from command_test import furwock

GROUP = []
SHARED_MEMORY = pathlib.Path("/dev/shm")


@contextlib.contextmanager
def group(*words):
    """The name of a group that is made up, and its threads' id."""
    name = f"/furwock-rt-test-{os.getpid()}"
    path = SHARED_MEMORY / name[1:]
    try:
        with subprocess.Popen([*GROUP, name, *words], text=True, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            ready, number = process.stdout.readline().split()
            assert ready == "ready"
            yield name, int(number)
            process.stdin.close()
    finally:
        path.unlink(missing_ok=True)


class Words(command_test.Case):
    def test_help(self):
        text = self.good("rt", "--help")
        self.assertIn("status", text)
        self.assertEqual(self.good("help", "rt"), text)
        self.assertIn("furwock rt status", self.good("rt", "status", "--help"))

    def test_bad_grants(self):
        for grant, line in (("no-such-user-here", "no user"), ("", "no user"),
                            ("root:50", "is no priority"), ("root:0", "is no priority"),
                            ("root:9-3", "is no priority"), ("root:1-", "is no priority"),
                            ("root:5:x", "are no CPUs"), ("root:5:300", "CPUs are supported"),
                            ("root:5:0:0", "no number of tasks"),
                            ("root:5:0:65", "no number of tasks"), ("root:5:0:1:1", "NAME[")):
            self.assertIn(line, self.refused(2, "rt", "start", "--user", grant))


class Scheduler(command_test.Case):
    """Where none runs; test/vm has those that do."""

    def test_none(self):
        done = furwock("rt", "status", "--json")
        whole = json.loads(done.stdout)
        self.assertEqual(whole["format"], "furwock-rt-scheduler-1")
        self.assertEqual({0: "running", 3: whole["state"], 4: "unknown"}[done.returncode],
                         whole["state"])
        if done.returncode == 3:
            self.assertIn(whole["state"], ("not running", "ended"))
            self.assertTrue(whole["reason"])

    def test_only_root_may(self):
        if os.geteuid() == 0:
            self.skipTest("root may, where the kernel can")
        self.assertEqual(furwock("rt", "start").returncode, 1)


class Status(command_test.Case):
    def test_no_group(self):
        self.refused(1, "rt", "status", f"/furwock-rt-none-{os.getpid()}")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "file"
            path.write_bytes(b"")
            self.refused(1, "rt", "status", str(path))
            path.write_bytes(os.urandom(8192))
            self.refused(1, "rt", "status", str(path))
            self.refused(1, "rt", "status", folder)

    def test_no_permission(self):
        if os.geteuid() == 0:
            self.skipTest("root may read everything")
        with group() as (name, _):
            path = SHARED_MEMORY / name[1:]
            path.chmod(0)
            self.assertIn("Permission denied", self.refused(1, "rt", "status", name))

    def test_spoilt_groups(self):
        for how, line in (("half", "half made"), ("magic", "corrupt"),
                          ("format", "of format 3: furwock "), ("tier", "no such tier")):
            with group(how) as (name, _):
                self.assertIn(line, self.refused(1, "rt", "status", name))

    def test_nonsense(self):
        with group("nonsense") as (name, _):
            self.good("rt", "status", name)
            whole = json.loads(self.good("rt", "status", name, "--json"))
            self.assertEqual(len(whole["locks"]), 63)
            self.assertEqual(whole["tasks"], [])  # no cell is in a state that there is

    def test_text(self):
        with group() as (name, number):
            text = self.good("rt", "status", name)
        self.assertIn(f"{name}: tier A, 4 tasks, 2 locks", text)
        self.assertIn(f"thread {number}, inherits 30, period 2000.0 us, 7 jobs, 2 late", text)
        self.assertIn("waits for state: low is in a section of state, for ", text)
        self.assertIn("held back: low is in a section of state, for ", text)
        self.assertIn("died in a section of log", text)
        self.assertIn("the next one is told", text)
        self.assertNotIn("\033", text)

    def test_json(self):
        with group() as (name, number):
            whole = json.loads(self.good("rt", "status", name, "--json"))
        self.assertEqual((whole["format"], whole["group"], whole["tier"]),
                         ("furwock-rt-1", name, "A"))
        tasks = {t["name"]: t for t in whole["tasks"]}
        self.assertEqual(set(tasks), {"low", "high", "middle?[2J", "gone"})
        low, high, gone = tasks["low"], tasks["high"], tasks["gone"]
        self.assertEqual((low["holds"], low["inherits"], low["thread"], low["liveness"]),
                         (["state"], 30, number, "alive"))
        self.assertEqual((low["period_ns"], low["jobs"], low["misses"]), (2000000, 7, 2))
        self.assertEqual((high["waits_for"], high["blocked_on"], high["blocked_by"]),
                         ("state", "state", "low"))
        self.assertGreater(high["waits_ns"], 0)
        self.assertEqual((tasks["middle?[2J"]["waits_for"], tasks["middle?[2J"]["blocked_by"]),
                         (None, "low"))
        self.assertEqual((gone["liveness"], gone["holds"]), ("dead", ["log"]))
        locks = {l["name"]: l for l in whole["locks"]}
        self.assertEqual(locks["state"], {
            "name": "state", "protocol": "PCP-DU-BOOL", "cpu": 1, "ceiling": 30,
            "users": ["low", "high"], "held_by": ["low"], "waiting": ["high"],
            "ceiling_requested": False, "owner_died": False, "refused": 0})
        log = locks["log"]
        self.assertEqual((log["protocol"], log["cpu"], log["owner_died"]), ("MPCP-DU", None, True))


if __name__ == "__main__":
    command_test.PROGRAM[:] = sys.argv[1:2]
    GROUP[:] = sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
