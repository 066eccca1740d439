# SPDX-License-Identifier: MIT
"""The deliberate faults, a file for each family of sources: ../faults.py."""
