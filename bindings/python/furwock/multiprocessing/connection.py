# SPDX-License-Identifier: MIT
"""Another name of multiprocessing.connection, which needs no change."""
import sys
from multiprocessing import connection
from multiprocessing.connection import *  # noqa: F401,F403

sys.modules[__name__] = connection
