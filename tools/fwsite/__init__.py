# SPDX-License-Identifier: MIT
"""What tools/site makes the pages of."""
