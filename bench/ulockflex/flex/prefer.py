# SPDX-License-Identifier: MIT
"""Which read-write locks are compared with which: those with the same preference.

A lock that lets readers pass waiting writers has more throughput than one that starves nobody, and
has it at the writers' expense; so each is measured against its own kind.  What a lock prefers is in
its adapter, from its documentation.  One that promises no order, "none", stands with the fair: its
makers say of nsync, Abseil's mutex and parking_lot's lock that neither readers nor writers starve.
"""

KINDS = ("fair", "readers", "writers")
TOGETHER = {"fair": ("fair", "none"), "none": ("fair", "none"), "readers": ("readers",),
            "writers": ("writers",)}


def rivals(ours, family, preference):
    """Whether a lock of that family and preference is a rival of one that prefers as `ours`."""
    return family == "rival" and preference in TOGETHER.get(ours, ())
