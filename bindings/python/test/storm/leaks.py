# SPDX-License-Identifier: MIT
"""What a process has open, and what of it is left over when it should be gone."""
from __future__ import annotations

import gc
import os
from typing import List, Set


def descriptors() -> Set[str]:
    found = set()
    for fd in os.listdir("/proc/self/fd"):
        try:
            found.add(f"{fd} -> {os.readlink(f'/proc/self/fd/{fd}')}")
        except OSError:  # the one that listed them
            pass
    return found


def shared_files() -> Set[str]:
    """Names in /dev/shm that multiprocessing made for this process: they contain its number."""
    try:
        names = os.listdir("/dev/shm")
    except OSError:
        return set()
    return {name for name in names if f"-{os.getpid()}-" in name}


class Footprint:
    """Counts now, to be compared with those of later."""

    def __init__(self, furwock: bool) -> None:
        self.furwock = furwock
        gc.collect()
        self.slots = self.count_slots()  # may open the region
        self.descriptors = descriptors()

    def count_slots(self) -> int:
        if not self.furwock:
            return 0
        import furwock
        region = furwock.default_region()
        region.collect()
        return int(region.slots[0])

    def lost(self) -> str:
        """What there is more of, in words; empty if there is nothing."""
        gc.collect()
        found: List[str] = []
        now = descriptors()
        if len(now) > len(self.descriptors):
            found.append(f"descriptors: {', '.join(sorted(now - self.descriptors))}")
        slots = self.count_slots()
        if slots > self.slots:
            found.append(f"slots of the region: {slots - self.slots} more")
        if self.furwock and shared_files():
            found.append(f"files in /dev/shm: {', '.join(sorted(shared_files()))}")
        return "; ".join(found)
