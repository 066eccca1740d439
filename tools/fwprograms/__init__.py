# SPDX-License-Identifier: MIT
"""What tools/programs is made of.

workdir   a folder and an environment to run commands in: deadlines, families, what hangs
measure   the rounds: each program with and without the library by turns
table     medians, ratios and their intervals, goals
catalog   all programs; storage, servers, runtimes and testers say how each is driven
cli       the command line
"""

SKIPPED = 77


class Trouble(Exception):
    """Something that ends the tool with one line on stderr."""

    def __init__(self, message, status=2):
        super().__init__(message)
        self.status = status


class Absent(Exception):
    """What a program needs is not installed here: it is skipped."""


class Failure(Exception):
    """A program crashed, hung or gave a wrong result."""
