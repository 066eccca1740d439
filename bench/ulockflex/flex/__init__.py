# SPDX-License-Identifier: MIT
"""What the program `ulockflex` is made of.

plan     which locks are run in which configurations, and how long that takes
paper    the published numbers
worker   one run, in a process of its own (ulockflex-run)
engine   the rounds: interleaving, deadlines, interruptions
store    the result file
stats    means and confidence intervals
prefer   which read-write locks are compared
processes  locks between processes: their plan, and what is shown of it
show, showpaper, showshare, progress    what people see
machine  what is measured on
cli      the command line
"""


class Trouble(Exception):
    """Something that ends the program with one line on stderr."""

    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status
