# SPDX-License-Identifier: MIT
"""What a program of the catalog is."""

import os
import pathlib
import re
import shutil
from typing import NamedTuple

from . import Absent, Failure

NEVER_BELOW = 0.97
CONTENDED = 1.15                # programs that contend: more than noise


class Figure(NamedTuple):
    unit: str
    more: bool = True           # more is better
    goal: float = NEVER_BELOW   # ratio to reach; None where the figure is not a throughput


class Program:
    """Each says how it is driven.  Its figures come from its own output, and its own checks count:
    run() raises Failure where a result is wrong.
    """
    name = ""
    package = ""                # Debian's, to be named where it is missing
    needs = ()                  # commands, or absolute paths
    figures = {}
    rounds_most = 1000

    def __init__(self, threads):
        self.threads = threads

    def look(self):
        """Absent where something is missing."""
        for need in self.needs:
            if not find(need):
                raise Absent(f"no {need}: install {self.package}")

    def shorten(self):
        """Makes a round as short as it may be: to see that it works, not how well."""
        for name, value in (("seconds_each", 1), ("milliseconds", 200)):
            if hasattr(self, name):
                setattr(self, name, value)

    def prepare(self, workdir):
        """Once, before the first round, without the library."""

    def run(self, workdir):
        """{figure: value}"""
        raise NotImplementedError


def find(command):
    if os.path.isabs(command):
        return command if pathlib.Path(command).exists() else None
    return shutil.which(command, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin")


def number(pattern, text):
    """The number in group 1 of a pattern that must be there."""
    found = re.search(pattern, text, re.MULTILINE)
    if not found:
        raise Failure(f"said nothing like '{pattern}': {last_line(text)}")
    return float(found.group(1))


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return (lines or ["nothing"])[-1][:200]


def must_say(pattern, text):
    if not re.search(pattern, text, re.MULTILINE):
        raise Failure(f"did not say '{pattern}': {last_line(text)}")
