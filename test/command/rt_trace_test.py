#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of furwock rt trace.  Arguments: the command, a program with real-time tasks,
and one with the textbook's scenarios.

The program's tasks run under SCHED_FIFO; without the right to that only what goes wrong is tried.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

COMMAND, TASKS, SCENARIOS = sys.argv[1:4]
FAILED, NOT_FOUND = 125, 127
KINDS = {"begin", "end", "release", "complete", "request", "block", "resume", "acquire", "unlock",
         "inherit", "boost", "grant", "wake"}


def is_allowed():
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    except PermissionError:
        return False
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    return True


def trace(*words, **how):
    return subprocess.run([COMMAND, "rt", "trace", *words], capture_output=True, text=True,
                          timeout=900, check=False, **how)


def left_behind():
    return {path for folder in ("/dev/shm", tempfile.gettempdir())
            for path in pathlib.Path(folder).glob("furwock-rt-*")}


class Refused(unittest.TestCase):
    def refused(self, wanted, *words, status=FAILED, **how):
        done = trace(*words, **how)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(wanted, done.stderr)
        return done

    def test_a_program_is_missing(self):
        self.refused("a program is missing")

    def test_unknown_option(self):
        self.refused("no-such-option", "--no-such-option")

    def test_no_such_program(self):
        with tempfile.TemporaryDirectory() as folder:
            self.refused("/nonexistent/program", "-n", "-o", f"{folder}/t",
                         "/nonexistent/program", status=NOT_FOUND)

    def test_unwritable(self):
        done = self.refused("/nonexistent/trace", "-o", "/nonexistent/trace", "--", "echo", "ran")
        self.assertNotIn("ran", done.stdout)

    def test_no_task(self):
        with tempfile.TemporaryDirectory() as folder:
            self.refused("no real-time task began", "-n", "-o", f"{folder}/t", "true")

    def test_the_status_is_the_programs(self):
        before = left_behind()
        with tempfile.TemporaryDirectory() as folder:
            self.refused("no real-time task began", "-n", "-o", f"{folder}/t", "sh", "-c",
                         "exit 7", status=7)
        self.assertLessEqual(left_behind(), before)

    def test_what_ends_it_ends_the_program(self):
        """And nothing stays: neither its files nor its part of the kernel's trace."""
        before = left_behind()
        with tempfile.TemporaryDirectory() as folder:
            self.refused("ended by signal 15", "-n", "-o", f"{folder}/t", "sh", "-c",
                         "kill -TERM $PPID; exec sleep 30", status=128 + 15)
        self.assertLessEqual(left_behind(), before)

    def test_a_trace_is_not_taken_for_standard_output(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "t")
            done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", COMMAND, "rt", "trace", "-n",
                                   "-o", path, "--", "sh", "-c", "echo hello"],
                                  stderr=subprocess.PIPE, text=True, timeout=900, check=False)
            self.assertIn("no real-time task began", done.stderr)
            self.assertFalse(path.exists())

    def test_an_older_trace_stays_until_there_is_another(self):
        def no_signal():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        no_room = "prlimit --pid $PPID --fsize=64 && exec \"$0\""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "t")
            path.write_text("older")
            self.refused("no real-time task began", "-n", "-o", path, "true")
            self.assertEqual(path.read_text(), "older")
            if not is_allowed():
                self.skipTest("SCHED_FIFO is refused")
            self.refused(f"cannot write {path}: File too large", "-n", "-o", path, "--",
                         "sh", "-c", no_room, TASKS, preexec_fn=no_signal)
            self.assertEqual(path.read_text(), "older")

    def test_full_disk(self):
        if not is_allowed():
            self.skipTest("SCHED_FIFO is refused")
        done = self.refused("/dev/full: No space left", "-n", "-o", "/dev/full", TASKS)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


@unittest.skipUnless(is_allowed(), "SCHED_FIFO is refused")
class Traced(unittest.TestCase):
    def traced(self, *options, **how):
        done = trace(*options, "-o", "-", "--", TASKS, **how)
        if done.returncode == 77:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout), done.stderr

    def check(self, found):
        self.assertEqual(found["format"], "furwock-rt-trace-1")
        self.assertEqual(found["status"], 0)
        tasks, locks, events = found["tasks"], found["locks"], found["events"]
        self.assertEqual([task["name"] for task in tasks], ["high", "low"])
        self.assertEqual([lock["name"] for lock in locks], ["r"])
        self.assertEqual(locks[0]["protocol"], "PCP-DU-BOOL")
        self.assertLessEqual({event["kind"] for event in events}, KINDS)
        for at in range(len(tasks)):
            kinds = [event["kind"] for event in events if event["task"] == at]
            self.assertEqual((kinds[0], kinds[-1]), ("begin", "end"))
            for kind in ("request", "acquire", "unlock"):
                self.assertEqual(kinds.count(kind), 3, kind)
            times = [event["ns"] for event in events if event["task"] == at]
            self.assertEqual(times, sorted(times))
        inside = None                               # one at a time
        for event in sorted(events, key=lambda event: event["ns"]):
            if event["kind"] == "acquire":
                self.assertIsNone(inside)
                inside = event["task"]
            elif event["kind"] == "unlock":
                self.assertEqual(inside, event["task"])
                inside = None

    def test_what_tasks_tell(self):
        found, _ = self.traced("--no-switches")
        self.check(found)
        self.assertIsNone(found["runs"])

    def test_who_had_a_cpu(self):
        found, said = self.traced()
        self.check(found)
        if found["runs"] is None:
            self.assertIn("when tasks had a CPU is not in the trace", said)
            self.assertIn("when tasks had a CPU is not in the trace", found["missing"])
            self.skipTest(found["missing"])
        for at in range(2):
            self.assertTrue(any(run["task"] == at for run in found["runs"]))
        for run in found["runs"]:
            self.assertLess(run["from"], run["to"])

    def test_in_a_pid_namespace_it_says_that_it_does_not_know(self):
        """The kernel's trace has other numbers for these threads."""
        done = subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", COMMAND, "rt", "trace",
                               "-o", "-", "--", TASKS], capture_output=True, text=True, timeout=900,
                              check=False)
        if done.returncode != 0:
            self.skipTest(done.stderr)
        found = json.loads(done.stdout)
        self.assertIsNone(found["runs"])
        self.assertIn("pid namespace", found["missing"])
        self.assertIn("pid namespace", done.stderr)

    def test_scenarios(self):
        """In every scenario each section ends, and none overlaps with another of its lock."""
        for protocol in ("PIP", "PCP-DU-BOOL", "FMLP+-DU"):
            done = trace("-n", "-o", "-", SCENARIOS, protocol)
            if done.returncode == 77:
                self.skipTest("not here")
            self.assertEqual(done.returncode, 0, done.stderr)
            has = {}
            for event in sorted(json.loads(done.stdout)["events"], key=lambda one: one["ns"]):
                if event["kind"] == "acquire":
                    self.assertIsNone(has.get(event["lock"]))
                    has[event["lock"]] = event["task"]
                elif event["kind"] == "unlock":
                    self.assertEqual(has.pop(event["lock"]), event["task"])
            self.assertEqual(has, {})

    def test_nothing_stays(self):
        before = left_behind()
        self.traced("-n")
        self.assertLessEqual(left_behind(), before)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
