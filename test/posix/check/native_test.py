#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock run --check on furwock's own locks: compiled for it, and not."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, KNOWS = ("",) * 2
FOUND = 123
PATIENCE_S = 600  # a hang

# What is found in each, and the functions that are named.
FAULTS = {"order": ("order", {"first_second", "second_first"}),
          "tried_order": ("order", {"first_second", "got_second_first"}),
          "mixed_order": ("order", {"posix_first", "first_posix"}),
          "waited_order": ("order", {"wait_long", "first_second"}),
          "contended_order": ("order", {"contended"}),
          "heap_order": ("order", {"a_b", "b_a"}),
          "rwlock_order": ("order", {"read_write", "write_write"}),
          "brlock_order": ("order", {"big_read_write", "big_write_read"}),
          "ipc_order": ("order", {"ipc_mutex_rwlock", "ipc_rwlock_mutex"}),
          "thread_exit": ("thread-exit", {"lock_first"}),
          "rwlock_exit": ("thread-exit", {"rwlock_exit_thread"}),
          "brlock_exit": ("thread-exit", {"brlock_exit_thread"}),
          "ipc_exit": ("thread-exit", {"lock_rwlock"}),
          "forked": ("fork", {"forked"}),
          "reused": ("reused", {"reused"}),
          "blocked": ("blocked", {"blocked"}),
          "stranger": ("stranger", {"stranger"}),
          "not_held": ("free", {"not_held"}),
          "relock": ("relock", {"relock"}),
          "unheld": ("unheld", {"unheld"})}
GOOD = ("good_order", "good_guard", "good_try", "good_fork", "good_wait", "good_again",
        "good_readers", "good_rwlock", "good_brlock", "good_ipc", "good_task")

ABORTS = ("stranger", "not_held", "relock", "unheld")  # the library ends the program
BY_CALLS = ("contended_order", "brlock_order", "brlock_exit", "ipc_exit", "stranger", "not_held",
            "relock", "unheld")


class Case(unittest.TestCase):
    """All in one run, each in a process of its own."""
    program = ""

    @classmethod
    def setUpClass(cls):
        if not cls.program:
            raise unittest.SkipTest("what both have in common")
        with tempfile.TemporaryDirectory() as room:
            path = pathlib.Path(room) / "check.json"
            done = subprocess.run(
                [PROGRAM, "run", "--check", "--hold=15", f"--json={path}", "--", cls.program,
                 *FAULTS, *GOOD], stdout=subprocess.PIPE, text=True, timeout=PATIENCE_S,
                check=False)
            findings = json.loads(path.read_text())["findings"]
        lines = [line.split() for line in done.stdout.splitlines()]
        cls.status = done.returncode
        cls.ends = {name: int(end) for name, _, end in lines}
        cls.findings = {name: [one for one in findings if one["process"] == int(process) and
                               (one["kind"] != "blocked" or name == "blocked")]
                        for name, process, _ in lines}

    def find(self, name):
        kind, functions = FAULTS[name]
        found = [one for one in self.findings[name] if one["kind"] == kind]
        self.assertEqual(len(found), 1)
        named = {place["symbol"] for call in found[0]["by"]
                 for place in [*call["calls"], call["held_since"]] if place is not None}
        if KNOWS == "names":
            self.assertLessEqual(functions, named)
        self.assertEqual(self.ends[name], -6 if name in ABORTS else 0)

    def test_status(self):
        self.assertEqual(self.status, FOUND)


class Called(Case):
    """Compiled with -DFURWOCK_CALLED."""

    def test_nothing_else_is_found(self):
        for name, found in self.findings.items():
            kinds = {one["kind"] for one in found}
            expected = {FAULTS[name][0]} if name in FAULTS else set()
            if name == "stranger":
                expected.add("thread-exit")  # the thread that has left it locked
            self.assertEqual(kinds, expected, name)


class Inlined(Case):
    """Compiled as usual: what is seen then."""

    def test_nothing_else_is_found(self):
        for name, found in self.findings.items():
            kinds = {one["kind"] for one in found}
            self.assertLessEqual(kinds, {FAULTS[name][0]} if name in FAULTS else set(), name)


def add_test(case, name):
    setattr(case, f"test_{name}", lambda self: self.find(name))


for one_name in FAULTS:
    add_test(Called, one_name)
for one_name in BY_CALLS:
    add_test(Inlined, one_name)


if __name__ == "__main__":
    PROGRAM, Called.program, Inlined.program, KNOWS = sys.argv[1:5]
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
