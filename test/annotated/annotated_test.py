#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Race detectors and programs that use the library as it is installed.

Each program is correct, and is built as its user would build it; no detector may report anything.
Built with a race, or with two orders of two locks, the same program must be reported: else the
annotations would hide what they should show.
"""

import argparse
import functools
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
REPORTED = 66  # of ThreadSanitizer; valgrind is given the same
IN_FULL = "TESTS_IN_FULL" in os.environ
SECONDS = 900  # only a hang takes as long

options = None


def call(words, **more):
    """Run a command; its output is one text."""
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, timeout=SECONDS, check=False, **more)


class Detector(unittest.TestCase):
    """Builds programs into a directory of its own, each once."""

    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.dir.cleanup)

    def build(self, compiler, source, *flags):
        """Compile and link with the static library: the program's path."""
        name = " ".join((compiler, source, *flags)).replace("/", ":")
        program = os.path.join(self.dir.name, name)
        if os.path.exists(program):
            return program
        standard = "-std=c++17" if source.endswith(".cc") else "-std=c11"
        built = call([compiler, standard, "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra",
                      "-Werror", *flags, "-I", ROOT + "/include", os.path.join(HERE, source),
                      options.library, "-o", program, "-pthread"])
        self.assertEqual(built.returncode, 0, built.stdout)
        return program

    def expect(self, done, status, word):
        self.assertEqual(done.returncode, status, done.stdout)
        if word:
            self.assertIn(word, done.stdout)


class ThreadSanitizer(Detector):
    """With each compiler that has the sanitizer's run-time library here; in brief, with one."""

    # The usual layout of the address space; newer kernels randomise more than it bears.
    PLAIN = ["setarch", "-R"] if call(["setarch", "-R", "true"]).returncode == 0 else []

    @classmethod
    @functools.lru_cache(maxsize=None)
    def has_sanitizer(cls, compiler):
        with tempfile.TemporaryDirectory() as directory:
            program = directory + "/program"
            if not shutil.which(compiler):
                return False
            built = subprocess.run([compiler, "-fsanitize=thread", "-x", "c", "-", "-o", program],
                                   input="int main(void) { return 0; }", text=True, check=False,
                                   stderr=subprocess.DEVNULL)
            return built.returncode == 0 and call([*cls.PLAIN, program]).returncode == 0

    def run_and_expect(self, compiler, source, *flags, status=0, word=None):
        program = self.build(compiler, source, "-fsanitize=thread", *flags)
        self.expect(call([*self.PLAIN, program]), status, word)

    def each(self, source, compilers):
        found = filter(self.has_sanitizer, compilers)
        found = list(found if IN_FULL else itertools.islice(found, 1))
        if not found:
            self.skipTest("no compiler with ThreadSanitizer")
        for compiler in found:
            with self.subTest(compiler=compiler):
                self.run_and_expect(compiler, source)
                self.run_and_expect(compiler, source, "-DRACE", status=REPORTED, word="data race")
        return found

    def test_locks(self):
        for compiler in self.each("locks.c", ["gcc", "clang"]):
            self.run_and_expect(compiler, "locks.c", "-DINVERT", status=REPORTED,
                       word="lock-order-inversion")

    def test_operations(self):
        self.each("await.c", ["gcc", "clang"])

    def test_locks_between_processes(self):
        self.each("ipc.c", ["gcc", "clang"])

    @unittest.skipUnless(IN_FULL, "only in full")
    def test_coroutines(self):
        for compiler in filter(self.has_sanitizer, ["g++", "clang++"]):
            with self.subTest(compiler=compiler):
                self.run_and_expect(compiler, "../cpp/coro_test.cc", "-std=c++20", "-I", ROOT)

    def test_classes(self):
        self.each("classes.cc", ["g++", "clang++"])


class ThreadSafety(Detector):
    """clang's -Wthread-safety, which runs nothing; also as the other detectors have it."""

    ERRORS = {"guarded.c": 8, "guarded.cc": 4}

    def analyse(self, source, *flags):
        cc, standard = ("clang++", "c++17") if source.endswith("cc") else ("clang", "c11")
        return call([cc, "-std=" + standard, "-D_GNU_SOURCE", "-fsyntax-only", "-Wall", "-Wextra",
                     "-Werror", "-Wthread-safety", *flags, "-I", ROOT + "/include",
                     os.path.join(HERE, source)])

    def test_guarded(self):
        if not shutil.which("clang") or not shutil.which("clang++"):
            self.skipTest("no clang")
        modes = [(), ("-fsanitize=thread",)]
        if os.path.exists("/usr/include/valgrind/helgrind.h"):
            modes.append(("-DFURWOCK_VALGRIND",))
        for source, errors in self.ERRORS.items():
            for mode in modes:
                with self.subTest(source=source, mode=mode):
                    self.expect(self.analyse(source, *mode), 0, None)
                    for n in range(1, errors + 1 if not mode or IN_FULL else 2):
                        self.expect(self.analyse(source, "-DWRONG=%d" % n, *mode), 1,
                                    "Wthread-safety")


class Valgrind(Detector):
    """helgrind and drd."""

    def run_and_expect(self, tool, source, *flags, status=0, word=None):
        program = self.build(options.cc, source, "-DFURWOCK_VALGRIND", *flags)
        self.expect(call(["valgrind", "--tool=" + tool, "--error-exitcode=%d" % REPORTED,
                          "--suppressions=" + ROOT + "/tools/valgrind.supp", program]),
                    status, word)

    def each(self, tool, word):
        if not shutil.which("valgrind") or not os.path.exists("/usr/include/valgrind/helgrind.h"):
            self.skipTest("valgrind is not installed")
        for source in ("locks.c", "await.c", "ipc.c"):
            with self.subTest(source=source):
                self.run_and_expect(tool, source)
                if IN_FULL or source == "locks.c":
                    self.run_and_expect(tool, source, "-DRACE", status=REPORTED, word=word)

    def test_helgrind(self):
        self.each("helgrind", "Possible data race")
        self.run_and_expect("helgrind", "locks.c", "-DINVERT", status=REPORTED, word="lock order")

    def test_drd(self):
        self.each("drd", "Conflicting")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--library", required=True, help="libfurwock.a, as it is installed")
    parser.add_argument("--cc", default="cc", help="the C compiler")
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
