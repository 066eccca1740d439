#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock who: its options, cores, programs without symbols, containers, rights; and that it leaves
programs alone, whatever is killed when."""

import contextlib
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import command_test
import who_test
from command_test import furwock
from who_test import LONGEST, STUCK, Waits, who_until, waiting

ABBA = ("l0 . l1", "l1 . l0")
ROUNDS = int(os.environ.get("WHO_ROUNDS", "8"))  # of the storms
MANY = 1000
NOBODY = 65534


def until(is_good):
    end = time.monotonic() + LONGEST
    while not is_good():
        assert time.monotonic() < end
        time.sleep(0.01)


def kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def states(pid):
    """Of each thread: its state, and who traces it."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            lines = dict(line.split(":\t", 1) for line in
                         (task / "status").read_text(encoding="utf-8", errors="replace")
                         .splitlines() if ":\t" in line)
            found.append((lines["State"][0], int(lines["TracerPid"])))
    return found


def children(pid):
    path = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
    if not path.exists():
        raise unittest.SkipTest("this kernel does not list children")
    return [int(word) for task in path.parent.parent.iterdir()
            for word in (task / "children").read_text(encoding="ascii").split()]


class Case(who_test.Case):
    def stuck(self, pid):
        who_until([pid], lambda f: f["deadlocks"])

    def found(self, pid, kind="normal"):
        self.stuck(pid)
        status, found = who_test.who(pid)
        self.assertEqual((status, len(found["deadlocks"])), (STUCK, 1), kind)
        return found


class Options(Case):
    def test_lost_owner(self):
        waits = self.waits("normal", "l0 . x", ". l0")
        _, found = who_until(waits.pids, lambda f: any(
            h["is_gone"] for t in waiting(f) for h in t["waits"]["holders"]))
        self.assertEqual(found["deadlocks"], [])
        done = furwock("who", "--pid", str(waits.pids[0]))
        self.assertEqual(done.returncode, STUCK, done.stderr)
        self.assertRegex(done.stdout, r"Lost: thread .* waits to lock mutex objects.*, held by "
                                      r"thread \d+, which no longer exists")

    def test_lost_by_fork(self):
        waits = self.waits("normal", "l0 . p", ". k l0")
        until(lambda: children(waits.pids[0]))
        status, found = who_until(children(waits.pids[0]), waiting)
        self.assertEqual(status, STUCK, found)
        self.assertTrue(waiting(found)[0]["waits"]["holders"][0]["is_gone"])

    def test_brief_text(self):
        waits = self.waits("normal", *ABBA)
        self.stuck(waits.pids[0])
        whole = furwock("who", "-p", str(waits.pids[0])).stdout
        brief = furwock("who", "--brief", "-p", str(waits.pids[0])).stdout
        self.assertTrue(whole.startswith(brief))
        self.assertIn("Stacks", whole[len(brief):])
        self.assertIn("Deadlock 1: 2 threads wait for one another.", brief)
        self.assertRegex(brief, r'thread \d+ "l0 . l1" holds mutex objects and waits to lock mutex '
                                r'objects\+0x28 in libc_step \(who_waits_kinds.c:\d+\), which '
                                r'thread \d+ "l1 . l0" has')
        with open("/dev/full", "w", encoding="ascii") as full:
            self.assertEqual(furwock("who", "-p", str(waits.pids[0]), stdout=full).returncode, 1)

    def test_stop_shows_who_runs(self):
        waits = self.waits("normal", "y")
        found = {}

        def is_seen():
            done = furwock("who", "--json", "--stop", "-p", str(waits.pids[0]))
            self.assertEqual(done.returncode, 0, done.stderr)
            found.update(json.loads(done.stdout))
            stacks = [[f["symbol"] for f in t["stack"]] for t in found["threads"]
                      if t["name"] == "y"]
            return any({"spin", "follow"} <= set(stack) for stack in stacks)

        until(is_seen)
        self.assertGreater(found["stops"]["threads"], 0)
        self.assertGreater(found["stops"]["longest_ns"], 0)
        until(lambda: all(state != "t" for state, _ in states(waits.pids[0])))

    def test_core_of_the_debugger(self):
        if not shutil.which("gcore"):
            self.skipTest("gcore is not installed")
        waits = self.waits("normal", *ABBA, ". s0")
        self.stuck(waits.pids[0])
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["gcore", "-o", f"{folder}/core", str(waits.pids[0])],
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0:
                self.skipTest("gcore may not attach here")
            self.check_core(f"{folder}/core.{waits.pids[0]}")

    def check_core(self, core, *program):
        done = furwock("who", "--json", f"--core={core}", *program)
        self.assertEqual(done.returncode, STUCK, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(len(found["deadlocks"]), 1)
        kinds = sorted(t["waits"]["object"]["kind"] for t in waiting(found))
        self.assertEqual(kinds, ["mutex", "mutex", "semaphore"])
        self.assertEqual(waiting(found)[0]["waits"]["object"]["name"][:7], "objects")
        return found

    def test_core_of_the_kernel(self):
        pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text(encoding="utf-8").strip()
        if "/" in pattern or pattern.startswith("|") or not pattern:
            self.skipTest("the kernel does not write cores into the working directory")
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "program")
            shutil.copy(who_test.WAITS[0], copy)
            waits = self.waits("normal", *ABBA, ". s0", program=str(copy), cwd=folder)
            try:
                resource.prlimit(waits.process.pid, resource.RLIMIT_CORE,
                                 (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            except (ValueError, PermissionError):
                self.skipTest("cores are not permitted here")
            who_until(waits.pids, lambda f: f["deadlocks"] and len(waiting(f)) == 3)
            waits.process.send_signal(signal.SIGABRT)
            waits.process.wait()
            cores = [path for path in pathlib.Path(folder).iterdir() if path != copy]
            if not cores:
                self.skipTest("the kernel has written no core")
            self.assertEqual(self.check_core(cores[0])["notes"], [])
            copy.rename(pathlib.Path(folder, "moved"))
            self.check_core(cores[0], f"{folder}/moved")
            shutil.copy("/bin/true", copy)
            done = furwock("who", f"--core={cores[0]}")
            self.assertIn("is not the file that the core is of", done.stdout)


class Programs(Case):
    def test_stripped(self):
        if not shutil.which("strip"):
            self.skipTest("strip is not installed")
        with tempfile.TemporaryDirectory() as folder:
            copy = f"{folder}/program"
            subprocess.run(["strip", "-o", copy, who_test.WAITS[0]], check=True)
            waits = self.waits("robust", *ABBA, program=copy)
            found = self.found(waits.pids[0])
            for thread in waiting(found):
                self.assertFalse(any(f["is_guess"] for f in thread["stack"]), thread)
            waits.end()

    def test_deleted(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = f"{folder}/program"
            shutil.copy(who_test.WAITS[0], copy)
            waits = self.waits("normal", *ABBA, program=copy)
            os.unlink(copy)
            self.found(waits.pids[0])

    def test_many_threads(self):
        waits = self.waits("normal", *ABBA, *[". l0"] * (MANY - 2))
        _, found = who_until(waits.pids, lambda f: len(waiting(f)) == MANY)
        self.assertEqual((len(waiting(found)), len(found["deadlocks"])), (MANY, 1))
        text = furwock("who", "--brief", "-p", str(waits.pids[0])).stdout
        self.assertIn(f"{MANY - 2} more threads wait for these.", text)

    def test_other_pid_namespace(self):
        inside = ["unshare", "--pid", "--fork", "--kill-child"]
        if shutil.which("unshare") is None or subprocess.run([*inside, "true"], check=False,
                                                             capture_output=True).returncode != 0:
            self.skipTest("no pid namespace can be made here")
        for kind, scripts in (("robust", ABBA), ("fw", ABBA),
                              ("shared-normal", ("l0 . l1", "+l1 . l0"))):
            with self.subTest(kind=kind):
                waits = self.waits(kind, *scripts, before=inside)
                until(lambda w=waits: children(w.process.pid))
                found = self.found(children(waits.process.pid)[0])
                self.assertTrue(all(t["inner_id"] != t["thread"] for t in found["threads"]))
                waits.end()


class DropIn(Case):
    """Programs whose pthread_* calls are furwock's."""

    KINDS = ("normal", "recursive", "errorcheck", "robust", "inherit", "c11", "shared-normal")

    def on_the_drop_in(self, kind, *scripts, options=()):
        before = [*command_test.PROGRAM, "run", *options, "--"]
        if subprocess.run([*before, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("the drop-in is not built, or not used here")
        waits = self.waits(kind, *scripts, before=before)
        for pid in waits.pids:  # which may be descendants of the process that was started
            self.addCleanup(kill, pid)
        return waits

    def test_mutexes(self):
        for kind in self.KINDS:
            with self.subTest(kind=kind):
                found = self.found(self.on_the_drop_in(kind, *ABBA).pids[0], kind)
                self.assertFalse(found["deadlocks"][0]["is_timed"])

    def test_rwlocks(self):
        for scripts in (("w0 . w1", "w1 . w0"), ("l2 r0 . l1", "l1 . w0")):
            with self.subTest(scripts=scripts):
                self.found(self.on_the_drop_in("normal", *scripts).pids[0])

    def test_where_it_was_taken(self):
        waits = self.on_the_drop_in("normal", *ABBA, options=["--stat"])
        self.stuck(waits.pids[0])
        text = furwock("who", "-b", "-p", str(waits.pids[0])).stdout
        self.assertRegex(text, r"holds mutex objects, taken in \w+ \(who_waits_kinds.c:\d+\), and "
                               r"waits")


class Rights(Case):
    def test_other_user(self):
        if os.geteuid() != 0:
            self.skipTest("only root can be another user")
        waits = self.waits("normal", "p")
        try:
            done = furwock("who", "-p", str(waits.pids[0]), user=NOBODY, group=NOBODY)
        except PermissionError:
            self.skipTest("others may not run the program")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("it belongs to user 0 and this is user 65534", done.stderr)

    def test_ended(self):
        waits = self.waits("normal", "p")
        waits.process.kill()
        os.waitid(os.P_PID, waits.process.pid, os.WEXITED | os.WNOWAIT)
        self.assertIn("has ended", self.refused(1, "who", "-p", str(waits.pids[0])))


class Storms(Case):
    """What is killed at any moment, and many at once."""

    def start(self, *words):
        return subprocess.Popen([*command_test.PROGRAM, "who", *words], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def test_killed_while_it_stops_threads(self):
        waits = self.waits("normal", *ABBA, ". y", ". l0", ". s0")
        self.stuck(waits.pids[0])
        began = time.monotonic()
        furwock("who", "--stop", "-p", str(waits.pids[0]))
        most = time.monotonic() - began
        for _ in range(ROUNDS):
            with self.start("--stop", "-p", str(waits.pids[0])) as one:
                time.sleep(random.uniform(0, most))
                one.kill()
        until(lambda: all(state in "SR" and tracer == 0
                          for state, tracer in states(waits.pids[0])))
        self.found(waits.pids[0])

    def test_many_at_once(self):
        waits = self.waits("normal", *ABBA, ". y")
        self.stuck(waits.pids[0])
        for _ in range(max(1, ROUNDS // 5)):
            some = [self.start("--stop", "-p", str(waits.pids[0])) for _ in range(3)]
            self.assertEqual([one.wait() for one in some], [STUCK] * len(some))
        until(lambda: all(state in "SR" for state, _ in states(waits.pids[0])))

    def test_target_is_killed(self):
        for _ in range(ROUNDS):
            waits = Waits("normal", *ABBA, *[". l0"] * 20)
            with self.start("--stop", "-p", str(waits.pids[0])) as one:
                time.sleep(random.uniform(0, 0.1))
                waits.end()
                self.assertIn(one.wait(), (0, 1, STUCK))


if __name__ == "__main__":
    who_test.WAITS.append(sys.argv.pop(2))
    command_test.PROGRAM.append(sys.argv.pop(1))
    unittest.main()
