# SPDX-License-Identifier: MIT
"""What the program `tdbtorture` is made of.

source   TDB's sources, from Debian's archive
build    the tool, as it is and with other locks in its place
engine   the runs: rounds, deadlines, failures
published  the paper's figures, and those to reach
table    Table 3, the paper's beside today's; the goals
cli      the command line
"""

from front import Trouble


SKIPPED = 77


class Absent(Trouble):
    """What is needed cannot be had here: the benchmark is skipped."""

    def __init__(self, message):
        super().__init__(message, SKIPPED)
