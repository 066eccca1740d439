# SPDX-License-Identifier: MIT
"""Signals that wait for a moment."""

import contextlib
import signal


@contextlib.contextmanager
def held():
    """None interrupts what is inside; the mask to give to children is handed in.  What has come
    meanwhile is told at the end, so an exception may come out of the `with` itself."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield mask
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
