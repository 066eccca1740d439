# SPDX-License-Identifier: MIT
"""Faults in ipc_cond."""
from .kinds import Family, Fault

FAULTS: list[Fault] = []

FAMILY = Family("ipc_cond", ["cond.c", "mutex.c"], ["src/ipc/mutex.h"], {}, FAULTS, "src/ipc")
