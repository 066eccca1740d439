# SPDX-License-Identifier: MIT
"""Tests of CPython's test_multiprocessing_* that are not run against furwock, each with its reason.

A pattern is `Class.method` as fnmatch reads it.
"""
from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Optional

POSIX_NAME = "is about the name of a POSIX semaphore; furwock's locks have none"
NOT_OURS = "runs threads of multiprocessing.dummy, or nothing of furwock's"

LEFT_OUT = [
    ("SemLockTests.*", POSIX_NAME),
    ("TestResourceTracker.test_resource_tracker", POSIX_NAME),
    ("TestResourceTracker.test_resource_tracker_sigkill", POSIX_NAME),
    ("*.test_mixed_startmethod",
     "wants an error when a lock of the fork context goes to a spawned child: here it works"),
    ("WithThreads*", NOT_OURS),
]


def why_left_out(test: str) -> Optional[str]:
    """The reason why this test is not run against furwock, or None."""
    for pattern, reason in LEFT_OUT:
        if fnmatchcase(test, pattern):
            return reason
    return None
