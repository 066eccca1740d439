#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual pages say what the program says, and are set without a warning; the completion of the
shell knows the commands and their options."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

PROGRAM = []
TOP = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = sorted((TOP / "doc" / "man").glob("*.1"))
CALLS = sorted((TOP / "doc" / "man").glob("*.3"))


def run(*words, **more):
    return subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=900, check=False, **more)


class Manual(unittest.TestCase):
    def test_pages_are_what_help_says(self):
        done = run(TOP / "tools" / "manpages", PROGRAM[0], "--check")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_pages_are_what_headers_say(self):
        done = run(TOP / "tools" / "callpages", "--check")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_options_are_those_of_help(self):
        for page in PAGES:
            words = page.stem.split("-")[1:]
            said = run(PROGRAM[0], *words, "--help", env={**os.environ, "LC_ALL": "C"}).stdout
            options = set(re.findall(r"^ {2,6}(?:-., )? {0,4}(--[a-z-]+)", said, re.M))
            self.assertGreater(len(options), 2, page)
            text = page.read_text(encoding="utf-8").replace("\\-", "-")
            self.assertEqual(set(re.findall(r"^\\fB(?:-.\\fR, \\fB)?(--[a-z-]+)", text, re.M)),
                             options, page)

    def test_each_command_has_one(self):
        names = re.findall(r"^  ([a-z]+) {3,}", run(PROGRAM[0], "--help").stdout, re.M)
        self.assertGreater(len(names), 6)
        stems = {page.stem for page in PAGES}
        self.assertLessEqual({f"furwock-{name}" for name in names} | {"furwock"}, stems)

    def set_without_a_warning(self, *words):
        if not shutil.which(words[0]):
            self.skipTest(f"{words[0]} is not installed")
        env = {**os.environ, "LC_ALL": "C", "MANWIDTH": "80", "MAN_KEEP_STDERR": "1"}
        for page in PAGES:
            done = run(*words, page, env=env)
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)
            shown = re.sub(".\b", "", done.stdout)  # bold is a letter over itself
            for word in (page.stem.upper(), "SYNOPSIS", "--help"):
                self.assertIn(word, shown)

    def test_groff_sets_them(self):
        self.set_without_a_warning("groff", "-man", "-ww", "-Tascii", "-P-c")

    def test_groff_sets_those_of_calls(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        done = run("groff", "-man", "-ww", "-Tascii", "-P-c", *CALLS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("fw_ipc_permits_take", done.stdout)

    def test_man_shows_them(self):
        self.set_without_a_warning("man", "--warnings", "-l")

    def test_mandoc_has_nothing_to_say(self):
        if not shutil.which("mandoc"):
            self.skipTest("mandoc is not installed")
        done = run("mandoc", "-Tlint", "-Wwarning", *PAGES, *CALLS)
        self.assertEqual((done.returncode, done.stdout), (0, ""))


class Completion(unittest.TestCase):
    def completed(self, *words):
        script = 'source "$1"; shift; program=$1; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); ' \
                 '_furwock "$program" "${@: -1}" && printf "%s\\n" "${COMPREPLY[@]}"'
        done = run("bash", "-c", script, "bash", TOP / "command" / "completion.bash", PROGRAM[0],
                   *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return set(done.stdout.split())

    def test_commands(self):
        self.assertLessEqual({"run", "rt", "doctor"}, self.completed(""))
        self.assertEqual(self.completed("ru"), {"run"})
        self.assertLessEqual({"analyze", "trace"}, self.completed("rt", ""))
        self.assertEqual(self.completed("rt", "ana"), {"analyze"})

    def test_options(self):
        self.assertEqual(self.completed("run", "--no"), {"--no-wait"})
        self.assertEqual(self.completed("run", "--po"), {"--policy="})
        self.assertEqual(self.completed("rt", "analyze", "--wake"), {"--wake-cost="})
        self.assertEqual(self.completed("doctor", "--js"), {"--json"})

    def test_what_is_not_ours(self):
        self.assertIn("env", self.completed("run", "en"))
        self.assertEqual(self.completed("run", "env", "--"), set())
        self.assertEqual(self.completed("show", ""), set())


if __name__ == "__main__":
    PROGRAM[:] = sys.argv[1:2]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
