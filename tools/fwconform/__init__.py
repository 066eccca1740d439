# SPDX-License-Identifier: MIT
"""Other people's test suites, run against the C library alone and with the drop-in."""
