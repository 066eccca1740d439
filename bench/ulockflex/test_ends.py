# SPDX-License-Identifier: MIT
"""Tests of sudden ends of ulockflex: killed, interrupted, without leaving anything behind.

The argument is the directory in which it was built.
"""

import glob
import os
import signal
import subprocess
import time
import unittest

from test_whole import (FRONT_END, PATIENCE, REAL_WORKER, TEST_WORKER, InDirectory, environment,
                        worker)


def wait_until(condition):
    """Whether it came true in time."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def processes_with(mark):
    """Living processes with this text in their command line or environment."""
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        directory = os.path.dirname(path)
        try:
            with open(path, "rb") as f:
                environ = f.read()
            with open(os.path.join(directory, "stat"), encoding="latin-1") as f:
                state = f.read().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if mark.encode() in environ and state not in "ZX":
            found.append(int(os.path.basename(directory)))
    return found


def semaphores():
    """Ids of all System V semaphore sets."""
    try:
        with open("/proc/sysvipc/sem", encoding="ascii") as f:
            return {line.split()[1] for line in list(f)[1:]}
    except OSError:
        return set()


class SuddenEnd(InDirectory):
    """However it ends, nothing is left behind."""

    def setUp(self):
        super().setUp()
        self.mark = f"ULOCKFLEX_TEST_MARK={os.getpid()}.{time.monotonic_ns()}"

    def start(self, *arguments, binary=TEST_WORKER):
        name, _, value = self.mark.partition("=")
        return subprocess.Popen(arguments, env={**environment(binary), name: value}, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def comes_to(self, child, condition):
        """Waits until the condition holds: before the child ends, which says why it did."""
        wait_until(lambda: condition() or child.poll() is not None)
        self.assertIsNone(child.poll(), child.poll() is not None and child.communicate()[1])

    def start_front_end(self, *arguments):
        child = self.start(FRONT_END, "--seconds", "20", "--kind", "processes", "--tasks", "8",
                           "--probes", "none", "--quiet", *arguments)
        self.comes_to(child, lambda: len(processes_with(self.mark)) == 10)
        return child

    def all_gone(self):
        self.assertTrue(wait_until(lambda: not processes_with(self.mark)),
                        f"left behind: {processes_with(self.mark)}")

    def test_kill_the_front_end(self):
        child = self.start_front_end("pthread")
        child.kill()
        child.communicate()
        self.all_gone()

    def test_kill_the_worker(self):
        for kind in ("threads", "processes"):
            child = self.start(TEST_WORKER, "--lock", "pthread", "--kind", kind, "--tasks", "8",
                               "--seconds", "20")
            self.comes_to(child, lambda: len(processes_with(self.mark)) >= 1)
            time.sleep(0.2)
            child.kill()
            child.communicate()
            self.all_gone()

    def test_kill_leaves_no_semaphores(self):
        if not os.path.exists(REAL_WORKER) or '"sysv"' not in worker(
                "--list", binary=REAL_WORKER).stdout:
            self.skipTest("no System V semaphores in this build")
        before = semaphores()
        child = self.start(REAL_WORKER, "--lock", "sysv", "--kind", "processes", "--tasks", "8",
                           "--seconds", "20", "--lht", "10", binary=REAL_WORKER)
        self.comes_to(child, lambda: semaphores() - before)
        ours = semaphores() - before
        child.kill()
        child.communicate()
        self.all_gone()
        self.assertTrue(wait_until(lambda: not semaphores() & ours))

    def test_interrupt_keeps_what_was_measured(self):
        child = self.start(FRONT_END, "--seconds", "0.1", "--rounds", "100", "--max-rounds", "100",
                           "--probes", "none", "--json", self.path, "pthread")
        self.comes_to(child, lambda: os.path.exists(self.path))
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=PATIENCE)
        self.assertEqual(child.returncode, 130, err)
        self.assertIn("\npthread ", out)
        self.assertIn("ulockflex: interrupted; --resume goes on", err)
        found = self.load()
        self.assertFalse(found["complete"])
        self.assertGreaterEqual(len(found["cells"][0]["runs"]), 1)
        self.assertEqual(os.listdir(self.directory), ["result.json"])
        self.all_gone()

    def test_terminate(self):
        child = self.start_front_end("pthread")
        child.terminate()
        child.communicate(timeout=PATIENCE)
        self.assertEqual(child.returncode, 128 + signal.SIGTERM)
        self.all_gone()


if __name__ == "__main__":
    unittest.main()
