#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock run --stat and what the program leaves behind when it ends; no times.

A daemon here reads a line from a fifo, which the test writes when it shall go on, and then becomes
another program.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, HOT = "", ""
PATIENCE_S = 600  # a hang
GOES_ON = "goes on: the figures come when that has ended"

# $0 the fifo, $@ what it becomes; it is nobody's child, and in a session of its own.
DAEMON = '(setsid sh -c \'echo $$ >"$0.pid"; read line <"$0"; ls / >/dev/null; exec "$@"\' ' \
         '"$0" "$@" >"$0.said" 2>&1 </dev/null &) ; ' \
         'until [ -s "$0.pid" ]; do sleep 0.01; done; '


class Left(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.make_fifo()

    def make_fifo(self):
        self.fifo = pathlib.Path(tempfile.mkdtemp(dir=self.folder), "fifo")
        os.mkfifo(self.fifo)

    def start(self, after, *becomes, options=("--stat",), before=()):
        """The program starts the daemon, and then does what `after` says."""
        run = subprocess.Popen([*before, PROGRAM, "run", *options, "--", "sh", "-c",
                                DAEMON + after, str(self.fifo), *becomes], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
        for end in (run.stdin.close, run.stdout.close, run.stderr.close, run.kill):
            self.addCleanup(end)
        self.addCleanup(kill_daemon, self.fifo)
        return run

    def daemon(self):
        return daemon_of(self.fifo)

    def until(self, is_so):
        end = time.monotonic() + PATIENCE_S
        while not is_so():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def let_go_on(self):
        self.fifo.write_text("go on\n", encoding="ascii")

    def ended(self):
        """The daemon has, without a word."""
        self.until(lambda: not lives(self.daemon()))
        self.assertNotIn("furwock", pathlib.Path(f"{self.fifo}.said").read_text())

    def test_it_is_waited_for_and_counted(self):
        path = self.folder / "figures"
        run = self.start("exit 7", HOT, options=(f"--json={path}",))
        self.assertIn(GOES_ON, run.stderr.readline())
        self.assertIsNone(run.poll())
        self.assertEqual(path.read_text(), "")
        self.let_go_on()
        self.assertEqual(run.communicate(timeout=PATIENCE_S), ("", ""))
        self.assertEqual(run.returncode, 7)
        found = json.loads(path.read_text())
        self.assertEqual((found["status"], found["still_running"]), (7, 0))
        self.assertEqual([p["program"] for p in found["processes"]], [os.path.basename(HOT)])
        self.ended()

    def test_a_signal_ends_the_wait(self):
        runs = {}
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            self.make_fifo()
            runs[number] = self.start("exit 7", "true"), self.fifo
        for number, (run, self.fifo) in runs.items():
            self.assertIn(GOES_ON, run.stderr.readline())
            run.send_signal(number)
            _, said = run.communicate(timeout=PATIENCE_S)
            self.assertEqual(run.returncode, 7)
            self.assertIn("furwock run: waits within", said)
            self.assertIn("\n1 process goes on, and is counted no longer\n", said)
            self.let_go_on()
            self.ended()

    def test_who_waits_in_it_is_shown_then(self):
        run = self.start("exit 7", HOT, "hang")
        self.assertIn(GOES_ON, run.stderr.readline())
        self.let_go_on()
        self.until(lambda: "hangs\n" in pathlib.Path(f"{self.fifo}.said").read_text())
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=PATIENCE_S)
        self.assertRegex(said, r'\d+ "[^"]+" has waited ')

    def test_who_was_asked_to_end_waits_for_nobody_else(self):
        """The program is told, ends by itself, and nothing more is waited for."""
        run = self.start("trap 'exit 9' TERM; echo ready; while :; do sleep 0.01; done", "true")
        self.assertEqual(run.stdout.readline(), "ready\n")
        run.terminate()
        _, said = run.communicate(timeout=PATIENCE_S)
        self.assertEqual(run.returncode, 9)
        self.assertRegex(said, r"\n\d process(es)? goe?s? on, and (is|are) counted no longer\n")
        self.assertNotIn(GOES_ON, said)
        self.let_go_on()
        self.ended()

    def test_a_signal_that_was_ignored_ends_nothing(self):
        run = self.start("exit 7", "true", before=("sh", "-c", 'trap "" INT; exec "$@"', "sh"))
        self.assertIn(GOES_ON, run.stderr.readline())
        run.send_signal(signal.SIGINT)
        run.send_signal(signal.SIGUSR1)
        self.assertEqual(run.stderr.readline(), "\n")
        self.assertIn("furwock run: waits within", run.stderr.readline())
        self.let_go_on()
        _, said = run.communicate(timeout=PATIENCE_S)
        self.assertEqual(said.count("furwock run: waits within"), 1)
        self.assertEqual(run.returncode, 7)

    def test_children_that_it_had_before_are_not_its_own(self):
        """A shell that started something, and then became furwock run."""
        script = 'cat "$0" 2>/dev/null & exec "$@"'
        run = subprocess.run(["sh", "-c", script, str(self.fifo), PROGRAM, "run", "--stat", "sh",
                              "-c", "(exit 3) & exit 7"], timeout=PATIENCE_S, check=False,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.let_go_on()  # also for the child, which reads
        self.assertEqual(run.returncode, 7)
        self.assertNotIn(GOES_ON, run.stderr)

    def test_furwock_run_is_killed(self):
        """What it counts goes on; its directory is removed by the next one."""
        run = self.start("echo $FURWOCK_STAT; echo $$; exec cat", "true")
        directory = pathlib.Path(run.stdout.readline().strip())
        program = int(run.stdout.readline())
        self.addCleanup(kill, program)
        self.assertTrue(directory.is_dir())
        run.kill()
        run.wait(timeout=PATIENCE_S)  # from now on any furwock run is the next one
        subprocess.run([PROGRAM, "run", "--stat", "true"], stderr=subprocess.DEVNULL, check=True,
                       timeout=PATIENCE_S)
        self.assertFalse(directory.exists())
        self.let_go_on()
        self.ended()
        self.assertTrue(lives(program))

    def test_one_that_is_in_use_is_not_removed(self):
        run = self.start("echo $FURWOCK_STAT; exec sh -c 'exit 3'", "true")
        directory = pathlib.Path(run.stdout.readline().strip())
        subprocess.run([PROGRAM, "run", "--stat", "true"], stderr=subprocess.DEVNULL, check=True,
                       timeout=PATIENCE_S)
        self.assertTrue(directory.is_dir())
        self.let_go_on()
        run.communicate(timeout=PATIENCE_S)
        self.assertEqual(run.returncode, 3)
        self.assertFalse(directory.exists())


def daemon_of(fifo):
    return int(pathlib.Path(f"{fifo}.pid").read_text())


def lives(process):
    """Also who has ended may be seen for a while: until its new parent looks."""
    try:
        text = pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


def kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kill_daemon(fifo):
    try:
        kill(daemon_of(fifo))
    except (OSError, ValueError):
        pass  # it has never begun


if __name__ == "__main__":
    PROGRAM, HOT = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
