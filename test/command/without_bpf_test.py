#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program furwock where it was built without what loads programs into the kernel: what needs
that says so in one line, and the rest works."""

import json
import os
import subprocess
import sys
import unittest

FURWOCK = sys.argv.pop(1)
SAID = "this furwock was built without"


def furwock(*arguments):
    return subprocess.run([FURWOCK, *arguments], capture_output=True, text=True, timeout=120)


class WithoutBpf(unittest.TestCase):
    def test_refused(self):
        pid = f"--pid={os.getpid()}"
        for arguments in (["assist", "start"], ["top", "--once", pid],
                          ["record", "--seconds=1", "--output=/dev/null", pid],
                          ["rt", "start"]):
            with self.subTest(arguments=arguments):
                done = furwock(*arguments)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(SAID, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_rest_works(self):
        self.assertIn(SAID, furwock("doctor").stdout)
        facts = furwock("doctor", "--json")
        self.assertIsInstance(json.loads(facts.stdout), dict, facts.stderr)
        self.assertEqual(furwock("regions").returncode, 0)


if __name__ == "__main__":
    unittest.main()
