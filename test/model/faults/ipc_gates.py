# SPDX-License-Identifier: MIT
"""Faults in ipc_gates."""
from .kinds import Family, Fault

FAULTS: list[Fault] = []

FAMILY = Family("ipc_gates", ["units.c", "barrier.c", "barrier_place.c", "once.c"],
                ["src/ipc/barrier_place.h", "src/ipc/barrier_word.h", "src/ipc/announce.h"], {},
                FAULTS, "src/ipc")
