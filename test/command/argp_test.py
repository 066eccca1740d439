# SPDX-License-Identifier: MIT
"""usage: argp_test.py FURWOCK LIBRARY

furwock's own argp, for C libraries without one, beside glibc's: LIBRARY takes its place in FURWOCK,
which has to print the same help and to refuse the same words.
"""

import os
import re
import subprocess
import sys
import unittest

SUBCOMMANDS = [[], ["assist"], ["calibrate"], ["compare"], ["doctor"], ["kernel"], ["record"],
               ["regions"], ["report"], ["rt"], ["rt", "analyze"], ["rt", "run"], ["rt", "start"],
               ["rt", "status"], ["rt", "stop"], ["rt", "trace"], ["run"], ["show"], ["top"],
               ["who"]]
# Refused, or answered, before anything is done; by some abbreviated, or with an argument behind.
WORDS = [["--help"], ["--usage"], ["--unknown"], ["--help=1"], ["-p"], ["--se"], ["-?x"]]

PROGRAM, LIBRARY = sys.argv[1:3]
del sys.argv[1:3]


def ends_of(text):
    """Lines without the spaces that GNU's leaves where it breaks them."""
    lines = [line for line in text.splitlines() if not line or line.strip()]
    return [line[1:] if re.match(r" \S", line) else line for line in lines]


def run(words, **environment):
    done = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60, check=False,
                          env={**os.environ, **environment})
    return done.returncode, ends_of(done.stdout), ends_of(done.stderr)


class Argp(unittest.TestCase):
    def both(self, words):
        expected = run(words)
        self.assertEqual(run(words, LD_PRELOAD=LIBRARY), expected, " ".join(words))
        return expected

    def test_it_is_used(self):
        symbols = run(["--help"], LD_PRELOAD=LIBRARY, LD_DEBUG="bindings")[2]
        self.assertTrue(any(LIBRARY in line and "argp_parse" in line for line in symbols))

    def test_help_and_refusals(self):
        for subcommand in SUBCOMMANDS:
            for words in WORDS:
                self.both(subcommand + words)

    def test_words_come_behind_options(self):
        status, out, err = self.both(["show", "/no-such-region", "--json"])
        self.assertEqual((status, out), (1, []))
        self.assertIn("/no-such-region", err[0])
        self.both(["show", "--", "--json"])
        self.both(["show", "/a", "-V"])
        self.both(["show", "/a", "/b"])

    def test_words_in_order(self):
        self.assertEqual(self.both(["compare", "--rounds", "5", "true"])[0], 2)
        status = self.both(["run", "no-such-program", "--version"])[0]
        self.assertIn(status, (125, 127))  # 125: the library to preload was not built


if __name__ == "__main__":
    unittest.main()
