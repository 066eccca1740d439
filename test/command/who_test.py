#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock who: which deadlocks it finds, and that it finds none where there is none."""

import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

import command_test
from command_test import IN_FULL, furwock

WAITS = []
SHARED_MEMORY = pathlib.Path("/dev/shm")
STUCK = 3
BUSY, LOOKS = 2, int(os.environ.get("WHO_LOOKS", "5" if IN_FULL else "2"))
LONGEST = float(os.environ.get("WHO_LONGEST", "120"))  # seconds, until the threads sleep

MUTEXES = ("normal", "recursive", "errorcheck", "adaptive", "robust", "inherit", "c11", "fw")
SHARED = ("shared-normal", "shared-robust", "shared-inherit", "region")

# Kinds, the scripts of the threads (who_waits.c), and of each deadlock the numbers of its threads'
# scripts.  Then the same without the fault, and how many of its threads wait.
ROWS = [
    (MUTEXES, ("l0 . l1", "l1 . l0"), [{0, 1}], ("l0 l1 . p", ". l0"), 1),
    (("normal", "c11"), ("l0 . t1", "l1 . t0"), [{0, 1}], ("l0 l1 . p", ". t1"), 1),
    (("normal", "robust", "fw"), ("l0 . l1", "l1 . l2", "l2 . l3", "l3 . l4", "l4 . l0"),
     [{0, 1, 2, 3, 4}], ("l0 . l1", "l1 . l2", "l2 . l3", "l3 . l4", "l4 . p"), 4),
    (("normal", "fw"), ("l0 . l1", "l1 . l0", ". l0", "l5 . l6", "l6 . l5"), [{0, 1}, {3, 4}],
     ("l0 . p", ". l0", ". l0", "l5 . p", ". l5"), 3),
    (("normal", "adaptive"), (". l0 l0",), [{0}], (". l0 p",), 0),
    (("normal", "fw"), ("w0 . w1", "w1 . w0"), [{0, 1}], ("w0 w1 . p", ". w0"), 1),
    (("normal", "fw"), ("w0 . l1", "l1 . r0"), [{0, 1}], ("w0 . p", ". r0"), 1),
    (("fw",), ("r0 . l1", "l1 . w0"), [{0, 1}], ("r0 . p", ". w0"), 1),
    (("normal",), (". l0 . j1", ". . l0"), [{0, 1}], ("l0 . p", ". j0"), 1),
    (("normal",), (". o0",), [{0}], ("q0",), 0),
    (("normal",), ("q1", "l0 . q1"), [{0, 1}], ("q1 p", ". q1"), 0),
    (("normal",), (". j1", ". j0"), [{0, 1}], (". j1", ". p"), 1),
    (("normal",), ("f0 . f1", "f1 . f0"), [{0, 1}], ("f0 f1 . p", ". f0"), 1),
    (("normal", "fw"), ("l0 c0 l1", "l1 . l0 g0 u0 l0 . l0", ". ."), None, ("l0 c0", "l1 c1"), 2),
    (SHARED, ("l0 . l1", "+l1 . l0"), [{0, 1}], ("l0 l1 . p", "+. l0"), 1),
    (("shared-normal", "region"), ("w0 . w1", "+w1 . w0"), [{0, 1}], ("w0 w1 . p", "+. r0"), 1),
    (("region",), ("r0 . l1", "+l1 . w0"), [{0, 1}], ("r0 r1 . p", "+. w0"), 1),
    (("region",), ("d0 . d1", "+d1 . l0", "+l0 . d0"), [{0, 1, 2}], ("d0 d1 . p", "+. d0"), 1),
    (("region", "shared-normal"), ("l0 . l1", "+l1 . l2", "++l2 . l0"), [{0, 1, 2}],
     ("l0 . l1", "+l1 . l2", "++l2 . p"), 2),
]

# Kinds, one script, and the kind that is told of what its last word waits for.
KINDS = [
    ("normal", "s0", "semaphore"), ("normal", "b0", "barrier"), ("normal", "l0 c0", "condition"),
    ("shared-normal", "s0", "semaphore"), ("fw", "s0", "semaphore"), ("fw", "b0", "barrier"),
    ("fw", "e0", "event"), ("fw", "l0 c0", "condition"), ("region", "s0", "semaphore"),
]


class Waits:
    """Threads that wait."""

    def __init__(self, kind, *scripts, program=None, before=(), cwd=None):
        self.process = subprocess.Popen([*before, program or WAITS[0], kind, *scripts], text=True,
                                        stdout=subprocess.PIPE, cwd=cwd)
        count = 1 + max(len(s) - len(s.lstrip("+")) for s in scripts)
        self.pids = [int(self.process.stdout.readline()) for _ in range(count)]
        self.scripts = [s.lstrip("+") for s in scripts]
        if kind == "region":
            self.region = SHARED_MEMORY / f"who-{self.process.pid}"

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        if hasattr(self, "region"):
            self.region.unlink(missing_ok=True)

    def numbers(self, found, tids):
        """Which scripts those threads follow, which have their names."""
        names = {t["thread"]: t["name"] for t in found["threads"]}
        return {self.scripts.index(next(s for s in self.scripts if s[:15] == names[tid]))
                for tid in tids}


def who(*pids):
    done = furwock("who", "--json", *(f"--pid={pid}" for pid in pids))
    if done.returncode not in (0, STUCK):
        raise AssertionError(done.stderr)
    return done.returncode, json.loads(done.stdout)


def who_until(pids, is_good):
    """What is said once it is as expected, or when that has taken too long."""
    end = time.monotonic() + LONGEST
    while True:
        status, found = who(*pids)
        if is_good(found) or time.monotonic() > end:
            return status, found


def waiting(found):
    return [t for t in found["threads"] if t["waits"] is not None]


class Case(command_test.Case):
    @classmethod
    def setUpClass(cls):
        done = furwock("who", "--json", "-p", str(os.getpid()))
        if "permission denied" in done.stderr:
            raise unittest.SkipTest("no process may look into another one here")
        if any("without libdw" in note for note in json.loads(done.stdout)["notes"]):
            raise unittest.SkipTest("this furwock was built without libdw")

    def waits(self, kind, *scripts, **more):
        made = Waits(kind, *scripts, **more)
        self.addCleanup(made.end)
        return made


class Found(Case):
    @staticmethod
    def of_each_row():
        """(row, kind): each kind of each row; in brief one, another from row to row."""
        for number, row in enumerate(ROWS):
            kinds = row[0]
            for kind in kinds if IN_FULL else [kinds[number % len(kinds)]]:
                yield row, kind

    def check_deadlocks(self, kind, scripts, expected):
        waits = self.waits(kind, *scripts)
        status, found = who_until(waits.pids if "inherit" in kind else waits.pids[:1],
                                  lambda f: len(f["deadlocks"]) == len(expected))
        cycles = [waits.numbers(found, d["threads"]) for d in found["deadlocks"]]
        self.assertEqual(sorted(map(sorted, cycles)), sorted(map(sorted, expected)), found)
        self.assertEqual(status, STUCK)
        waits.end()

    def check_none(self, kind, scripts, count):
        waits = self.waits(kind, *scripts)
        status, found = who_until(waits.pids, lambda f: len(waiting(f)) == count)
        self.assertEqual((found["deadlocks"], len(waiting(found)), status), ([], count, 0), found)
        waits.end()

    def test_deadlocks(self):
        for (_, scripts, expected, _, _), kind in self.of_each_row():
            if expected is not None:
                with self.subTest(kind=kind, scripts=scripts):
                    self.check_deadlocks(kind, scripts, expected)

    def test_none_without_the_fault(self):
        for (_, _, _, scripts, count), kind in self.of_each_row():
            with self.subTest(kind=kind, scripts=scripts):
                self.check_none(kind, scripts, count)

    def test_none_of_a_busy_program(self):
        for kind in ("normal", "robust", "adaptive", "fw"):
            with self.subTest(kind=kind):
                waits = self.waits(kind, *["z0", "z1"] * BUSY)
                for _ in range(LOOKS):
                    status, found = who(*waits.pids)
                    self.assertEqual((status, found["deadlocks"]), (0, []), found)
                waits.end()

    def test_kinds(self):
        for kind, script, expected in KINDS:
            with self.subTest(kind=kind, script=script):
                waits = self.waits(kind, script)
                _, found = who_until(waits.pids, waiting)
                told = [t["waits"]["object"]["kind"] for t in waiting(found)]
                self.assertEqual(told, [expected])
                waits.end()


if __name__ == "__main__":
    WAITS.append(sys.argv.pop(2))
    command_test.PROGRAM.append(sys.argv.pop(1))
    unittest.main()
