#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Debug information from a server: only where it is asked for.

debuginfod_test.py FURWOCK PROGRAM [READELF OBJCOPY STRIP]
"""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import command_test
import who_test
from command_test import furwock

PROGRAM = []
PATIENCE = 60


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def server(folder, home):
    """Its address, once it has looked at the folder."""
    port = free_port()
    with open(home / "log", "wb") as log, \
            subprocess.Popen(["debuginfod", "-F", "-p", str(port), "-d", ":memory:", "-t", "1",
                              folder], stdout=log, stderr=log) as process:
        try:
            yield f"http://127.0.0.1:{port}", process
        finally:
            process.kill()


@contextlib.contextmanager
def running(program, *words):
    with subprocess.Popen([program, *words]) as process:
        try:
            yield process.pid
        finally:
            process.kill()


class Downloaded(who_test.Case):
    def setUp(self):
        for tool in ("debuginfod", "objcopy", "strip"):
            if not shutil.which(tool):
                self.skipTest(f"{tool} is not installed")
        self.room = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) \
            if hasattr(self, "enterContext") else None
        if self.room is None:
            self.skipTest("needs Python 3.11")

    def split(self):
        """The program without symbols, and a folder with what it has lost."""
        (self.room / "served").mkdir()
        stripped = self.room / "stripped"
        subprocess.run(["objcopy", "--only-keep-debug", PROGRAM[0],
                        self.room / "served" / "it.debug"], check=True)
        subprocess.run(["strip", "-s", "-o", stripped, PROGRAM[0]], check=True)
        return stripped, self.room / "served"

    def has_names(self, pid, **more):
        kept = {name: word for name, word in os.environ.items() if "DEBUGINFOD" not in name}
        kept.update(HOME=str(self.room), DEBUGINFOD_TIMEOUT="10", **more)
        return "one_waits" in furwock("who", "-p", str(pid), env=kept).stdout

    def test_only_where_it_is_asked_for(self):
        stripped, served = self.split()
        with running(stripped, "one-waits") as pid, server(served, self.room) as (url, process):
            self.assertFalse(self.has_names(pid, DEBUGINFOD_URLS=url))
            self.assertFalse(self.has_names(pid, DEBUGINFOD_URLS=url, FURWOCK_DEBUGINFOD="0"))
            self.assertFalse(self.has_names(pid, FURWOCK_DEBUGINFOD="1"))
            end, found, turn = time.monotonic() + PATIENCE, False, 0
            while not found and time.monotonic() < end:
                self.assertIsNone(process.poll(), (self.room / "log").read_text())
                turn += 1  # what was not found is not asked for again: each time in a new cache
                found = self.has_names(pid, DEBUGINFOD_URLS=url, FURWOCK_DEBUGINFOD="1",
                                       DEBUGINFOD_CACHE_PATH=str(self.room / f"cache{turn}"))
            self.assertTrue(found, (self.room / "log").read_text())


if __name__ == "__main__":
    command_test.PROGRAM[:] = sys.argv[1:2]
    PROGRAM[:] = sys.argv[2:3]
    unittest.main(argv=sys.argv[:1])
