#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of tools/assist-cost, with an assist and benchmarks that only pretend."""

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

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent

TOOL = HERE.parent / "assist-cost"
NOBODY = 65534

# Runs if `on` is there, and notes what it was told.
FURWOCK = """#!/bin/sh
cd "${0%/*}"
[ "$1" = assist ] || exit 99
shift
echo "$*" >> said
case $* in
start*)
    if [ -e broken ]; then
        echo "furwock: no permission" >&2
        exit 1
    fi
    touch on ;;
stop) rm -f on ;;
"status --json") echo '{"runs": 10, "run_ns": 250}' ;;
esac
[ "$1" != status ] || [ -e on ] || exit 3
"""

# Tells a time that is 10 % longer while the assist runs.
SWITCHES = """#!/bin/sh
cd "${0%/*}/../../command"
case $1 in
participant)
    echo ready
    exec cat > /dev/null ;;
yield|pipe)
    [ "$2" -gt 0 ] || exit 1
    [ ! -e slow ] || exec sleep 3600
    if [ -e on ]; then echo 1.1; else echo 1.0; fi ;;
esac
"""


class Pretended(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name)
        self.build.chmod(0o755)
        for point, text in (("command/furwock", FURWOCK),
                            ("test/assist/assist_switches", SWITCHES)):
            (self.build / point).parent.mkdir(parents=True)
            (self.build / point).write_text(text, encoding="utf-8")
            (self.build / point).chmod(0o755)
        self.command = self.build / "command"

    tool = TOOL

    def words(self, *words):
        return [sys.executable, str(self.tool), "--build", str(self.build), "--rounds", "3",
                "--seconds", "0.01", "--quiet", "--no-count", "--benchmarks", "pipe,yield", *words]

    def run_it(self, *words, **more):
        return subprocess.run(self.words(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=900, check=False, **more)

    def said(self):
        return (self.command / "said").read_text(encoding="utf-8").splitlines()


class CommandLine(Pretended):
    def test_help(self):
        done = self.run_it("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("needs root", done.stdout.lower())

    def test_refused(self):
        for words, why in ((["--rounds", "1"], "must lie between 2"),
                           (["--rounds", "many"], "invalid int"),
                           (["--seconds", "0"], "must lie between"),
                           (["--benchmarks", "pipe,juggling"], "no benchmark 'juggling'"),
                           (["--what"], "unrecognized")):
            done = self.run_it(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(why, done.stderr)
            self.assertFalse((self.command / "said").exists())

    @unittest.skipIf(os.geteuid() != 0, "would need root to become somebody else")
    def test_not_root(self):
        # The sources may lie where nobody else can read them: in root's home, say.
        self.tool = self.build / TOOL.name
        shutil.copyfile(TOOL, self.tool)
        self.tool.chmod(0o755)
        done = self.run_it(user=NOBODY, cwd="/")
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("root", done.stderr)


@unittest.skipIf(os.geteuid() != 0, "the tool needs root")
class Measuring(Pretended):
    def test_ratios(self):
        found = self.build / "cost.json"
        rounds = 6  # fewer have no interval
        done = self.run_it("--all", "--json", str(found), "--rounds", str(rounds))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("1.1000 [1.1000, 1.1000] of the time without, missed", done.stdout)
        whole = json.loads(found.read_text(encoding="utf-8"))
        self.assertEqual(whole["format"], "furwock-assist-cost-1")
        self.assertEqual([b["name"] for b in whole["benchmarks"]], ["pipe", "yield"])
        for benchmark in whole["benchmarks"]:
            told = benchmark["time"]
            self.assertEqual(told["samples"]["off"], [1.0] * rounds)
            self.assertEqual(sorted(told["ratios"]), ["all", "loaded", "participant"])
            self.assertAlmostEqual(told["ratios"]["participant"]["value"], 1.1)
            self.assertEqual(told["ratios"]["loaded"]["goal"], "missed")
            self.assertIsNone(told["ratios"]["all"]["goal"])
            self.assertEqual(len(benchmark["CPU time"]["samples"]["participant"]), rounds)

    def test_by_turns(self):
        self.assertEqual(self.run_it("--benchmarks", "yield").returncode, 0)
        turns = ["start", "stop", "start", "stop"]
        # The second round goes backwards, and the third begins where the second ended.
        self.assertEqual(self.said(), ["status"] + turns[:3] + turns[1:] + turns[:3] + ["stop"])
        self.assertFalse((self.command / "on").exists())

    def test_runs_already(self):
        (self.command / "on").touch()
        done = self.run_it()
        self.assertEqual(done.returncode, 77)
        self.assertIn("runs already", done.stderr)
        self.assertEqual(self.said(), ["status"])
        self.assertTrue((self.command / "on").exists())

    def test_cannot_start(self):
        (self.command / "broken").touch()
        done = self.run_it()
        self.assertEqual((done.returncode, done.stderr),
                         (77, "assist-cost: furwock: no permission\n"))

    def test_not_built(self):
        (self.command / "furwock").unlink()
        done = self.run_it()
        self.assertEqual(done.returncode, 77)
        self.assertIn("command/furwock is missing", done.stderr)

    def test_not_installed(self):
        done = self.run_it("--benchmarks", "hackbench", env={"PATH": "/nowhere"})
        self.assertEqual(done.returncode, 77)
        self.assertIn("hackbench is not installed", done.stderr)

    def test_interrupted(self):
        tool = subprocess.Popen(self.words("--rounds", "10000"), stdout=subprocess.DEVNULL)
        while not (self.command / "on").exists():
            self.assertIsNone(tool.poll())
            time.sleep(0.01)
        (self.command / "slow").touch()
        tool.send_signal(signal.SIGTERM)
        self.assertEqual(tool.wait(900), 130)
        self.assertEqual(self.said()[-1], "stop")
        self.assertFalse((self.command / "on").exists())


if __name__ == "__main__":
    unittest.main()
