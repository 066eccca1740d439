# SPDX-License-Identifier: MIT
"""For tests: what takes long is tested in full only, where TESTS_IN_FULL is in the environment."""

import os
import unittest

IN_FULL = "TESTS_IN_FULL" in os.environ
in_full = unittest.skipUnless(IN_FULL, "only in full")
