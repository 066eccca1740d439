# SPDX-License-Identifier: MIT
"""Faults in ipc_journal."""
from .kinds import Family, Fault

FAULTS: list[Fault] = []

FAMILY = Family("ipc_journal", ["mutex.c", "recover.c", "journal.c"], ["src/ipc/journal.h"], {},
                FAULTS, "src/ipc")
