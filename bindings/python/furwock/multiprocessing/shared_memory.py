# SPDX-License-Identifier: MIT
"""Another name of multiprocessing.shared_memory, which needs no change."""
import sys
from multiprocessing import shared_memory
from multiprocessing.shared_memory import *  # noqa: F401,F403

sys.modules[__name__] = shared_memory
