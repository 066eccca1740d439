# SPDX-License-Identifier: MIT
"""Another name of multiprocessing.managers, which needs no change."""
import sys
from multiprocessing import managers
from multiprocessing.managers import *  # noqa: F401,F403

sys.modules[__name__] = managers
