#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock run, with the tools with which programs are looked at: gdb, valgrind, sanitizers."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import command_test
from command_test import furwock

WORKER = []
SOURCE = pathlib.Path(__file__).resolve().parent / "run_worker.c"
COUNTED = "8000 8000 4\n"
WAITERS = {"waits_for_mutex": "mutex", "waits_for_cond": "cond", "waits_to_read": "rwlock",
           "waits_to_write": "rwlock", "waits_for_sem": "sem", "waits_at_barrier": "barrier"}
LONGEST = 600  # seconds until all threads sleep


def needs(tool):
    return unittest.skipUnless(shutil.which(tool), f"{tool} is not installed")


class Debugger(unittest.TestCase):
    """Who attaches to a program that waits sees the program's functions, and what they wait in."""

    def sleepers(self, pid):
        states = []
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            states.append((task / "stat").read_text(encoding="ascii").rpartition(")")[2].split()[0])
        return states.count("S")

    def backtraces(self, *options):
        with subprocess.Popen([*command_test.PROGRAM, "run", *options, *WORKER, "wait"],
                              stdout=subprocess.PIPE, text=True) as process:
            try:
                self.assertEqual(process.stdout.readline(), "ready\n")
                began = time.monotonic()
                while self.sleepers(process.pid) <= len(WAITERS):
                    self.assertLess(time.monotonic(), began + LONGEST)
                    time.sleep(0.01)
                done = subprocess.run(
                    ["gdb", "-nx", "-batch", "-p", str(process.pid), "-ex", "thread apply all bt"],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                    text=True, timeout=900, check=False)
            finally:
                process.kill()
        if "ptrace" in done.stderr and "not permitted" in done.stderr:
            self.skipTest("no process may look into another one here")
        return re.split(r"\nThread \d+ ", done.stdout)[1:]

    @needs("gdb")
    def test_backtraces_are_readable(self):
        threads = self.backtraces()
        for waiter, kind in WAITERS.items():
            mine = [t for t in threads if f"{waiter} (" in t]
            self.assertEqual(len(mine), 1, (waiter, threads))
            frames = re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?(\S+) \(", mine[0], re.MULTILINE)
            at = frames.index(waiter)
            called = re.search(rf"^#{at - 1} .*$", mine[0], re.MULTILINE)[0]
            self.assertRegex(called, rf"/{kind}\w*\.c:|fw_posix_{kind}|pthread_{kind}")
            self.assertIn("start_thread", frames[at + 1])
            self.assertNotIn("??", frames[:at + 2])


@needs("valgrind")
class Valgrind(command_test.Case):
    def valgrind(self, *words):
        done = furwock("run", "valgrind", "-q", "--error-exitcode=9", *words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, COUNTED, ""))

    def test_memcheck(self):
        self.valgrind("--leak-check=full", *WORKER)

    def test_memcheck_from_outside(self):
        done = subprocess.run(["valgrind", "-q", "--trace-children=yes", "--error-exitcode=9",
                               *command_test.PROGRAM, "run", *WORKER], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=900, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, COUNTED, ""))

    def test_memcheck_still_finds_errors(self):
        done = furwock("run", "valgrind", "-q", "--error-exitcode=9", *WORKER, "free")
        self.assertEqual((done.returncode, done.stdout), (9, COUNTED))
        self.assertIn("Invalid write", done.stderr)

    def test_other_tools(self):
        for tool in ("none", "massif", "callgrind"):
            with self.subTest(tool), tempfile.TemporaryDirectory() as folder:
                self.valgrind(f"--tool={tool}", *([] if tool == "none" else
                              [f"--{tool}-out-file={folder}/out"]), *WORKER)

    def test_tools_that_see_no_lock_are_refused(self):
        for tool in ("helgrind", "drd"):
            self.assertIn(tool, self.refused(126, "run", "valgrind", f"--tool={tool}", *WORKER))


class Sanitizers(command_test.Case):
    """The runtime comes before us, keeps watching, and calls us."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.compiler = os.environ.get("CC", "cc")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def program(self, *flags):
        path = os.path.join(self.folder.name, "-".join(flags).replace("=", "-"))
        words = [self.compiler, "-g", "-O1", "-pthread", *flags, "-o", path, str(SOURCE)]
        if not os.path.exists(path) and (shutil.which(self.compiler) is None or subprocess.call(
                words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) != 0):
            self.skipTest(f"no compiler that knows {' '.join(flags)}")
        if subprocess.call([path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) != 0:
            self.skipTest(f"{flags[0]} does not work here, even without furwock")
        return path

    def finds(self, report, mode, *flags):
        path = self.program(*flags)
        done = furwock("run", path)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, COUNTED, ""))
        done = furwock("run", path, mode)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(report, done.stderr)

    def test_address(self):
        self.finds("heap-use-after-free", "free", "-fsanitize=address")

    def test_address_linked_statically(self):
        self.finds("heap-use-after-free", "free", "-fsanitize=address", "-static-libasan")

    def test_thread(self):
        self.finds("data race", "race", "-fsanitize=thread")
        self.finds("lock-order-inversion", "order", "-fsanitize=thread")

    def test_thread_linked_statically(self):
        self.finds("data race", "race", "-fsanitize=thread", "-static-libtsan")

    def test_undefined(self):
        done = furwock("run", self.program("-fsanitize=undefined"))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, COUNTED, ""))

    def test_the_runtime_is_first(self):
        for flag, name in (("address", "asan"), ("thread", "tsan")):
            path = self.program(f"-fsanitize={flag}")
            text = self.good("run", "--environment", path)
            self.assertRegex(text, rf"^LD_PRELOAD=lib{name}\.so[.0-9]*:(/|libfurwock)")
            said = self.good("run", "--environment", path,
                             env={**os.environ, "LD_PRELOAD": "libm.so.6"})
            self.assertRegex(said, rf"^LD_PRELOAD=lib{name}\.so[.0-9]*:libm.so.6:(/|libfurwock)")

    def test_counting(self):
        for flags in (["-fsanitize=address"], ["-fsanitize=thread"],
                      ["-fsanitize=address", "-static-libasan"]):
            done = furwock("run", "--stat", self.program(*flags))
            self.assertEqual((done.returncode, done.stdout), (0, COUNTED), done.stderr)
        self.assertIn("ThreadSanitizer", self.refused(
            126, "run", "--stat", self.program("-fsanitize=thread", "-static-libtsan")))


if __name__ == "__main__":
    command_test.PROGRAM[:] = sys.argv[1:2]
    WORKER[:] = sys.argv[2:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
