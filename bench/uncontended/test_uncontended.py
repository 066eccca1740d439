#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs uncontended as a user would, briefly.  Arguments: the command."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMMAND = []


def run(*arguments):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=900,
                          check=False)


def measured(*arguments):
    """{(object, lock): cell} of a short run, and what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "result.json")
        done = run("--rounds", "3", "--json", str(path), *arguments)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        result = json.loads(path.read_text(encoding="utf-8"))
    return {(cell["object"], cell["lock"]): cell for cell in result["cells"]}, done.stdout


class Uncontended(unittest.TestCase):
    def test_unknown_lock_names_what_exists(self):
        done = run("no-such-lock")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("furwock", done.stderr)
        self.assertIn("pthread", done.stderr)

    def test_unknown_option_and_bad_rounds(self):
        self.assertEqual(run("--no-such-option").returncode, 2)
        for bad in ("0", "1", "-3", "x", "7x", ""):
            with self.subTest(bad=bad):
                done = run("--rounds", bad)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_unwritable_file_is_said_before_measuring(self):
        done = run("--json", "/nonexistent/file.json")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertIn("/nonexistent/file.json", done.stderr)

    def test_objects(self):
        for bad in ("locks", "", "read,", "read;write"):
            done = run("--object", bad)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertIn("there are: mutex read write signal sem event", done.stderr)
        done = run("--object", "read", "furwock")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "there are: .*furwock-br .*pthread-rw")

    def test_read_write_locks_beside_pthreads(self):
        cells, text = measured("--object", "read,write", "pthread-rw-writers", "furwock-br")
        self.assertEqual(set(cells), {
            (o, lock) for o in ("read", "write")
            for lock in ("pthread-rw-writers", "furwock-br", "pthread-rw")})
        self.assertEqual(cells["read", "pthread-rw"]["ratio"],
                         {"to": "pthread-rw", "median": 1, "low": None, "high": None})
        self.assertIn("\nread lock + unlock\n", text)

    def test_called_beside_what_is_compiled_in(self):
        """README compares a fast path compiled in with pthread's calls; like for like beside."""
        cells, _ = measured("--object", "mutex,read,write", "furwock", "furwock-called",
                            "furwock-rw", "furwock-rw-called")
        for kind, lock in (("mutex", "furwock"), ("read", "furwock-rw"), ("write", "furwock-rw")):
            inlined, called = cells[kind, lock], cells[kind, lock + "-called"]
            self.assertEqual(called["ratio"]["to"], inlined["ratio"]["to"])
            if "instructions" in inlined:
                self.assertGreater(called["instructions"], inlined["instructions"], kind)

    def test_every_object_of_one_name(self):
        cells, _ = measured("furwock")
        found = {o for o, lock in cells if lock == "furwock"}
        self.assertEqual(found, {"mutex", "signal", "sem", "event", "event-wait", "once"})
        for (name, lock), cell in cells.items():
            self.assertGreater(cell["ns"]["median"], 0, (name, lock))
            self.assertIsNotNone(cell["ratio"], (name, lock))

    def test_everything(self):
        cells, _ = measured()
        self.assertEqual({o for o, _ in cells}, {"mutex", "read", "write", "signal", "sem",
                                                 "event", "event-wait", "once", "ipc-mutex",
                                                 "ipc-read", "ipc-sem"})
        self.assertIn(("ipc-mutex", "furwock-ipc"), cells)
        self.assertNotIn(("mutex", "furwock-ipc"), cells)

    def test_list(self):
        done = run("--list")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(any(line.startswith("furwock ") for line in done.stdout.splitlines()))

    def test_measures_and_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "result.json")
            path.write_text("x" * 100000, encoding="utf-8")
            done = run("--rounds", "3", "--json", str(path), "--object", "mutex", "furwock")
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(result["format"], "furwock-bench-1")
        self.assertEqual(result["benchmark"], "uncontended")
        cells = {cell["lock"]: cell for cell in result["cells"]}
        self.assertEqual(set(cells), {"furwock", "pthread", "(cas+exchange)", "(empty loop)"})
        self.assertEqual(cells["pthread"]["ratio"]["median"], 1)
        for cell in cells.values():
            self.assertEqual(len(cell["ns"]["samples"]), 3)
            self.assertGreater(cell["ns"]["median"], 0)
        self.assertIn("furwock", done.stdout)


if __name__ == "__main__":
    COMMAND[:] = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
