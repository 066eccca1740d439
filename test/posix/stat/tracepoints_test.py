#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Static tracepoints: the notes of the libraries, and one that gdb stops at."""

import os
import re
import shutil
import subprocess
import sys
import unittest

SHARED, DROP_IN, HOT = "", "", ""
PATIENCE_S = 600  # a hang
NOTE = re.compile(r"Provider: furwock\s+Name: (\w+)\s+Location: \S+ Base: \S+ Semaphore: 0x0+\s+"
                  r"Arguments: 8@(%?)\w+")


def notes(library):
    said = subprocess.run(["readelf", "-nW", library], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "LC_ALL": "C"}, check=True).stdout
    return {name for name, _ in NOTE.findall(said.replace(",", ""))}


@unittest.skipUnless(shutil.which("readelf"), "readelf is not installed")
class Notes(unittest.TestCase):
    def test_the_library_has_all(self):
        self.assertEqual(notes(SHARED), {"mutex_wait", "mutex_handoff", "owner_died"})

    def test_the_drop_in_has_those_of_threads(self):
        self.assertEqual(notes(DROP_IN), {"mutex_wait", "mutex_handoff"})


@unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
class Stops(unittest.TestCase):
    def test_where_a_thread_is_about_to_wait(self):
        words = ["set confirm off", "set debuginfod enabled off", "set startup-with-shell off",
                 f"set environment LD_PRELOAD {DROP_IN}", "break main", "run",
                 "break -probe-stap furwock:mutex_wait", "continue",
                 "print (char *)&hot_lock == (char *)$_probe_arg0", "kill"]
        command = ["gdb", "-nx", "-q", "-batch"]
        for word in words:
            command += ["-ex", word]
        said = subprocess.run([*command, HOT], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S,
                              check=False).stdout
        if "ptrace: Operation not permitted" in said:
            self.skipTest("no right to trace")
        self.assertIn("$1 = 1", said)


if __name__ == "__main__":
    SHARED, DROP_IN, HOT = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
