# SPDX-License-Identifier: MIT
"""Language runtimes: CPython's own tests, and programs of many threads in Python and Java."""

import pathlib
import re
import time

from . import Failure
from .program import Figure, Program, must_say, number

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"
TESTS = "/usr/lib/python3.11/test/"


class PythonTests(Program):
    """Tests of CPython; they evaluate themselves.  What they take is mostly their own sleeping."""
    package = "libpython3.11-testsuite"
    seconds_most = 300

    def run(self, workdir):
        found = {}
        for test in self.figures:
            begun = time.monotonic()
            said = workdir.run([PYTHON, "-m", "test", test], seconds=self.seconds_most)
            must_say(r"^Tests result: SUCCESS|^Result: SUCCESS", said)
            found[test] = time.monotonic() - begun
            workdir.lap(test)
        return found


def tests(*names):
    return {name: Figure("s", more=False, goal=None) for name in names}


class PythonThreads(PythonTests):
    name = "python"
    figures = tests("test_thread", "test_queue", "test_threading", "test_threading_local",
                    "test_threadsignals")
    needs = tuple(f"{TESTS}{test}.py" for test in figures)

    def shorten(self):
        self.figures = tests("test_thread", "test_threading_local")


class PythonProcesses(PythonTests):
    """Processes that share semaphores with names; minutes."""
    name = "python-processes"
    figures = tests("test_multiprocessing_main_handling", "test_multiprocessing_fork",
                    "test_multiprocessing_forkserver", "test_multiprocessing_spawn",
                    "test_concurrent_futures")
    needs = tuple(f"{TESTS}{test}.py" for test in figures)
    seconds_most, rounds_most = 600, 1


class PythonThreading(Program):
    """Python's locks, queues and conditions, by many threads."""
    name, package, needs = "python-threading", "python3", (PYTHON,)
    figures = {name: Figure("op/s") for name in ("lock", "queue", "handoff")}
    milliseconds = 1000

    def run(self, workdir):
        said = workdir.run([PYTHON, "-B", HERE / "contend.py", self.threads, self.milliseconds])
        must_say("^good$", said)
        return {name: number(rf"^{name} (\d+)", said) for name in self.figures}


class Java(Program):
    """Monitors, java.util.concurrent's locks and queues, and parking, by many threads."""
    name, package, needs = "java", "default-jdk-headless", ("java", "javac")
    figures = {name: Figure("op/s") for name in ("monitor", "lock", "queue", "handoff")}
    milliseconds = 1000

    def prepare(self, workdir):
        workdir.run(["javac", "-d", workdir.folder, HERE / "Contend.java"])

    def run(self, workdir):
        said = workdir.run(["java", "-cp", workdir.folder, "-XX:-UsePerfData", "Contend",
                          self.threads, self.milliseconds])
        found = {name: number(rf"^{name} ([\d.]+)", said) for name in self.figures}
        if not re.search("^good$", said, re.MULTILINE):
            raise Failure("a count was wrong")
        return found
