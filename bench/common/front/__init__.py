# SPDX-License-Identifier: MIT
"""What the front ends of benchmarks share, those that are Python programs.

A front end is copied into its own build directory; this package lies in the one beside it,
common.  So it begins with

    HERE = os.path.dirname(os.path.realpath(__file__))
    sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "common")]

cli      options, signals, the result file
machine  what is measured on
made     of which sources, beside which rivals, in which state of the machine
assist   whether the assist is on, and how to turn it on and off
quantile of Student's t, and of heads in many throws
signals  signals that wait for a moment
"""


class Trouble(Exception):
    """Something that ends the program with one line on stderr."""

    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status
