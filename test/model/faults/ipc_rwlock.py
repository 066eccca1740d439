# SPDX-License-Identifier: MIT
"""Faults in the read-write lock between processes."""
from .kinds import Family, Fault

FAULTS: list[Fault] = []

FAMILY = Family("ipc_rwlock",
                ["rwlock.c", "rwlock_up.c", "rwlock_write.c", "rwlock_open.c", "share.c"],
                ["src/ipc/rwlock.h", "src/ipc/share.h"], {}, FAULTS, "src/ipc")
