# SPDX-License-Identifier: MIT
"""What the tests of furwock top, record and report share."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
# pylint: disable-next=wrong-import-position
import command_test  # noqa: E402

PLANTED = []
PATIENCE = 60  # seconds, for what a machine under load does by and by


def cases():
    """The rows of planted: name -> (class, kind, threads that only sleep)."""
    text = subprocess.run(PLANTED, stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = (line.split("\t") for line in text.splitlines())
    return {name: (of, kind, int(sleepers)) for name, of, kind, sleepers in rows}


@contextlib.contextmanager
def planted(name, program=None, before=()):
    """A program with that contention, which runs until the end: (process, address of the lock)."""
    with subprocess.Popen([*before, *(program or PLANTED), name], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline()
            if not line:
                raise unittest.SkipTest(f"planted {name} did not start")
            yield process, int(line, 16)
        finally:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
            if process.poll() is None:
                process.kill()


def tables(*words, **more):
    """The tables of furwock top --json, one by one, until who asks has seen enough."""
    with subprocess.Popen([*command_test.PROGRAM, "top", "--json", "--interval=0.3", *words],
                          stdout=subprocess.PIPE, text=True, **more) as top:
        try:
            for line in top.stdout:
                yield json.loads(line)
        finally:
            top.terminate()
            top.stdout.close()


def functions(stack):
    return [frame["text"].split(" ")[0] for frame in stack or []]


def why_not():
    """Why nothing can be watched here; None: it can."""
    done = command_test.furwock("top", "-p", str(os.getpid()), "--once", "--interval=0.01")
    return None if done.returncode == 0 else done.stderr.strip() or f"status {done.returncode}"


def wait_for(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"still not: {what}")
        time.sleep(0.02)
