#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--policy and FURWOCK_POLICY, seen in what an unmodified program's mutexes do."""

import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                *[os.pardir] * 3, "tools"))

from fwpreload import preloaded  # noqa: E402

SECONDS = 900  # only a hang takes as long
FURWOCK, PROGRAM, LIBRARIES = None, None, ()


def run(words, **environment):
    """A program that ends well: its standard output, and what was complained of."""
    env = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "FURWOCK_POLICY")}
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=SECONDS, check=False, env={**env, **environment})
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.returncode}: {done.stderr}")
    return done.stdout.strip(), done.stderr


class Policy(unittest.TestCase):
    def expect(self, policy, seen):
        """Through the environment, with each library, and through the command."""
        for library in LIBRARIES:
            ours = preloaded(library)
            self.assertEqual(run([PROGRAM], **ours, FURWOCK_POLICY=policy), (seen, ""))
        self.assertEqual(run([FURWOCK, "run", f"--policy={policy}", PROGRAM]), (seen, ""))

    def test_greedy(self):
        self.expect("greedy", "snatched sleeps")

    def test_fair(self):
        self.expect("fair", "handed sleeps")

    def test_spin(self):
        self.expect("spin=0", "snatched sleeps")
        self.expect("spin=1000000", "spins")

    def test_both(self):
        self.expect("fair,spin=0", "handed sleeps")

    def test_nothing_said(self):
        for library in LIBRARIES:
            self.assertEqual(run([PROGRAM], **preloaded(library)), ("snatched sleeps", ""))
            self.assertEqual(run([PROGRAM], **preloaded(library), FURWOCK_POLICY=""),
                             ("snatched sleeps", ""))

    def test_not_understood(self):
        for library in LIBRARIES:
            seen, said = run([PROGRAM], **preloaded(library), FURWOCK_POLICY="bogus")
            self.assertEqual(seen, "snatched sleeps")
            self.assertIn("FURWOCK_POLICY is not understood", said)
            self.assertEqual(len(said.splitlines()), 1)


if __name__ == "__main__":
    FURWOCK, PROGRAM, *LIBRARIES = sys.argv[1:5]
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2)
