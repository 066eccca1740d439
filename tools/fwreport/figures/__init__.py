# SPDX-License-Identifier: MIT
"""The pictures.  Each module draws from Results and returns Pictures; none saves anything."""

from collections import namedtuple

# name: of the file; figure: matplotlib's; title and alt: for the page
Picture = namedtuple("Picture", "name figure title alt")
