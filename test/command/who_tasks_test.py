#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock who: tasks that wait without a thread, and the names that a program gives its locks.

who_tasks_test.py FURWOCK PROGRAM...
"""

import contextlib
import subprocess
import sys
import unittest

import command_test
import who_test
from command_test import furwock
from who_test import STUCK, who_until

PROGRAMS = []

# Of each case: tasks and threads in the deadlock; all that wait, for what, and who has it.
CASES = {"two-tasks": ((2, 0), {("accounts", "task"), ("the log", "task")}, 3),
         "task-and-thread": ((1, 1), {("accounts", "thread"), ("the log", "task")}, 1),
         "acting-thread": ((0, 2), {("accounts", "thread"), ("the log", "thread")}, 0),
         "reading-task": ((2, 1), {("accounts", "thread"), ("the log", "task"),
                                   ("table", "task")}, 2),
         "one-waits": (None, {("accounts", "task")}, 1)}


@contextlib.contextmanager
def running(program, name):
    with subprocess.Popen([program, name]) as process:
        try:
            yield process.pid
        finally:
            process.kill()


def links(found):
    """Of all that wait: the object's name, and what has it."""
    waits = [one["waits"] for one in [*found["threads"], *found["tasks"]]]
    return {(wait["object"]["name"], "thread" if wait["holders"][0]["thread"] else "task")
            for wait in waits if wait is not None and wait["holders"]}


class Tasks(who_test.Case):
    def check(self, program, name):
        members, expected, tasks = CASES[name]
        with running(program, name) as pid:
            status, found = who_until([pid], lambda f: links(f) == expected and
                                      len(f["tasks"]) == tasks and
                                      len(f["deadlocks"]) == (members is not None))
            self.assertEqual(links(found), expected)
            self.assertEqual(len(found["tasks"]), tasks)
            self.assertEqual([(len(d["tasks"]), len(d["threads"])) for d in found["deadlocks"]],
                             [members] if members else [])
            self.assertEqual(status, STUCK if members else 0)

    def test_with_the_library_beside(self):
        for name in CASES:
            with self.subTest(name):
                self.check(PROGRAMS[1], name)

    def test_with_the_library_inside(self):
        self.check(PROGRAMS[0], "two-tasks")

    def test_in_words(self):
        with running(PROGRAMS[0], "task-and-thread") as pid:
            who_until([pid], lambda f: f["deadlocks"])
            said = furwock("who", "-p", str(pid)).stdout
        self.assertIn("Deadlock 1: 2 threads and tasks wait for one another.\n", said)
        self.assertRegex(said, r"\n  task \d+ holds mutex the log and waits to lock mutex "
                               r'accounts, which thread \d+ "\S+" has\n')
        self.assertRegex(said, r'\n  thread \d+ "\S+" holds mutex accounts and waits to lock '
                               r"mutex the log in lock_both.*, which task \d+ has\n")
        self.assertRegex(said, r"\n  task \d+  +to lock mutex accounts +\d+ ")
        self.assertIn("; 1 task waits.\n", said)


if __name__ == "__main__":
    command_test.PROGRAM[:] = sys.argv[1:2]
    PROGRAMS[:] = sys.argv[2:4]
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
