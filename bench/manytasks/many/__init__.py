# SPDX-License-Identifier: MIT
"""What the program `manytasks` is made of.

peers    what is compared: how each is fetched and built
engine   the runs of the peers' programs
table    medians, ratios with their intervals
cli      the command line
"""

from front import Trouble


class Absent(Trouble):
    """A peer that cannot be had here: it is named in the result, and left out."""
