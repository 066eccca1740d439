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


def run(*words, **more):
    return subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=900, check=False, **more)


class Manual(unittest.TestCase):
    def test_pages_are_what_help_says(self):
        done = run(TOP / "tools" / "manpages", PROGRAM[0], "--check")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

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

    def test_man_shows_them(self):
        self.set_without_a_warning("man", "--warnings", "-l")


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
