# SPDX-License-Identifier: MIT
"""Faults in the condition variable, and in how it hands waiters over to the mutex."""
from .kinds import Family, Fault

COND, MOVE, MUTEX = "src/cond.c", "src/mutex_move.c", "src/mutex.c"

FAULTS: list[Fault] = []

FAMILY = Family("cond", ["cond.c", "mutex_move.c", "mutex.c"],
                ["include/furwock/cond.h", "include/furwock/mutex.h", "src/mutex_word.h",
                 "src/mutex_move.h"], ["fw_mutex_lock"], FAULTS)
