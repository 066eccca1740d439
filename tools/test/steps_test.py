#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/quietly, tools/tests, tools/setup and tools/fresh, as make calls them."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent

# As the tool, but each second without a word is one too many.
AT_ONCE = ("import runpy, sys; sys.dont_write_bytecode = True; sys.path.insert(0, {tools!r}); "
           "import fwsteps; fwsteps.HEARTBEAT = 0; sys.argv[0] = {tool!r}; "
           "runpy.run_path({tool!r}, run_name='__main__')")

APT = """#!/bin/sh
case "$*" in
*--assume-no*) cat << 'END'
{text}
END
    exit 1 ;;
esac
"""
SIZES = ("0 upgraded, 8 newly installed, 0 to remove and 1 not upgraded.\n"
         "Need to get 175 MB of archives.\n"
         "After this operation, 612 MB of additional disk space will be used.")
SIZES_APT_3 = ("Summary:\n  Upgrading: 0, Installing: 8, Removing: 0, Not Upgrading: 1\n"
               "  Download size: 175 MB\n  Space needed: 612 MB / 80.1 GB available")


def run(*words, **more):
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)


def run_at_once(tool, *words):
    code = AT_ONCE.format(tools=str(TOOLS), tool=str(TOOLS / tool))
    return run(sys.executable, "-c", code, *words)


class InDirectory(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="steps test ")
        self.addCleanup(directory.cleanup)
        self.where = pathlib.Path(directory.name)

    def write(self, name, text, mode=0o644):
        path = self.where / name
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path


class QuietlyTest(InDirectory):
    def test_what_failed_is_shown_and_nothing_else(self):
        log = self.where / "a log"
        done = run(TOOLS / "quietly", "--say", "Building", log, "sh", "-c",
                   "echo '[1/3] good step'; echo 'FAILED: x.o'; echo 'x.c:1: error: wrong'; "
                   "echo '[2/3] another'; echo 'ninja: build stopped'; exit 3")
        self.assertEqual(done.returncode, 3)
        self.assertIn("x.c:1: error: wrong", done.stdout)
        self.assertNotIn("good step", done.stdout)
        self.assertNotIn("another", done.stdout)
        self.assertIn(str(log), done.stdout)
        self.assertIn("another", log.read_text(encoding="utf-8"))

    def test_a_failure_without_steps_shows_the_end(self):
        done = run(TOOLS / "quietly", self.where / "log", "sh", "-c", "echo why; exit 1")
        self.assertIn("why", done.stdout)

    def test_it_says_how_far_it_is(self):
        done = run_at_once("quietly", "--say", "Building", self.where / "log", "sh", "-c",
                           "echo '[7/9] a step'; sleep 0.2; echo '[8/9] a step'")
        self.assertEqual(done.returncode, 0)
        self.assertIn("step 7 of 9", done.stdout)
        self.assertIn("done, ", done.stdout)

    def test_a_full_disk_and_no_permission_are_named(self):
        done = run(TOOLS / "quietly", self.where / "log", "sh", "-c",
                   "echo x.o: No space left on device; exit 1")
        self.assertIn("are free here: make room", done.stdout)
        done = run(TOOLS / "quietly", self.where / "log", "sh", "-c",
                   """echo '"/proc/no/file": No space left on device'; exit 1""")
        self.assertIn("are free in /proc: make room", done.stdout)
        done = run(TOOLS / "quietly", "/dev/full", "sh", "-c", "echo text")
        self.assertEqual(done.returncode, 1)
        self.assertIn("quietly: /dev/full: No space left on device", done.stdout)
        done = run(TOOLS / "quietly", "/proc/no/log", "true")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/proc/no", done.stdout)

    def test_an_interrupt_says_what_to_do(self):
        with subprocess.Popen([TOOLS / "quietly", "--say", "Building", self.where / "log",
                               "sh", "-c", "echo begun; exec sleep 600"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, start_new_session=True) as tool:
            log = self.where / "log"
            while not (log.exists() and log.read_text(encoding="utf-8")):
                time.sleep(0.01)
            os.killpg(tool.pid, signal.SIGINT)
            self.assertIn("the same command goes on", tool.stdout.read())
            self.assertEqual(tool.wait(), 130)

    def test_no_such_command(self):
        done = run(TOOLS / "quietly", self.where / "log", "/no/such/program")
        self.assertEqual(done.returncode, 127)
        self.assertIn("/no/such/program", done.stdout)


class TestsTest(InDirectory):
    def setUp(self):
        super().setUp()
        rows = {"good": "exit 0", "slow": "sleep 3", "bad": "exit 1",
                "left": "echo 'left: there is no such kernel here'; exit 77",
                "also_left": "echo 'there is no such kernel here'; exit 77"}
        text = "".join(f'add_test({name} "sh" "-c" "{command}")\n'
                       f"set_tests_properties({name} PROPERTIES SKIP_RETURN_CODE 77)\n"
                       for name, command in rows.items())
        self.write("CTestTestfile.cmake", text)

    def test_skips_have_reasons(self):
        done = run(TOOLS / "tests", self.where, "-R", "left|good")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("2 tests were skipped:\n     2  there is no such kernel here\n", done.stdout)
        self.assertIn("left, also_left", done.stdout)

    def test_the_report_goes_where_it_was_asked_for(self):
        report = self.where / "there.xml"
        done = run(TOOLS / "tests", self.where, "-R", "left", "--output-junit", report)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue(report.exists())
        self.assertIn("2 tests were skipped", done.stdout)

    def test_a_failure_is_one(self):
        self.assertNotEqual(run(TOOLS / "tests", self.where, "-R", "bad").returncode, 0)

    def test_it_says_what_it_waits_for(self):
        done = run_at_once("tests", self.where, "-R", "slow")
        self.assertIn("running: slow (", done.stdout)


class SetupTest(InDirectory):
    def setup_with(self, text):
        self.write("apt-get", APT.format(text=text), 0o755)
        self.write("apt-cache", "#!/bin/sh\necho '  Candidate: 1'\n", 0o755)
        self.write("sudo", "#!/bin/sh\nshift\nexec \"$@\"\n", 0o755)
        for name in ("sh", "cat", "env", "true"):
            os.symlink(f"/bin/{name}", self.where / name)
        return run(sys.executable, TOOLS / "setup", "build",
                   env={**os.environ, "PATH": str(self.where)})

    def test_it_says_how_much_it_installs(self):
        for text in (SIZES, SIZES_APT_3):
            with self.subTest(text=text):
                for path in self.where.iterdir():
                    path.unlink()
                done = self.setup_with(text)
                self.assertIn("(8 packages, 175 MB to download, 612 MB on disk)", done.stdout)
                self.assertRegex(done.stdout, r"cmake +build\n")
                self.assertRegex(done.stdout, r"libdw-dev +names in furwock run --stat \(optional")
                self.assertLess(done.stdout.index("about to install"),
                                done.stdout.index("setup: installing"))
                self.assertEqual(done.returncode, 1)
                self.assertIn("please install, as root:  apt-get install ", done.stdout)
                self.assertNotIn("going on without", done.stdout)

    def test_without_apt_names_are_named(self):
        done = run(sys.executable, TOOLS / "setup", "build",
                   env={**os.environ, "PATH": str(self.where)})
        self.assertEqual(done.returncode, 1)
        self.assertIn("under these names in Debian", done.stdout)


class FreshTest(unittest.TestCase):
    def test_bad_words(self):
        for words in (["--users", "nobody", "sid"], ["--steps", "dance", "sid"], []):
            done = run(TOOLS / "fresh", *words)
            self.assertEqual(done.returncode, 2, words)
        self.assertIn("usage:", done.stdout)


if __name__ == "__main__":
    unittest.main()
