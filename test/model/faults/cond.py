# SPDX-License-Identifier: MIT
"""Faults in the condition variable, and in how it hands waiters over to the mutex."""
from .kinds import Family, Fault

COND, WAKE, MOVE = "src/cond.c", "src/cond_wake.c", "src/mutex_move.c"
LINE = "src/cond_line.h"

FAULTS: list[Fault] = []

FAMILY = Family("cond", ["cond.c", "cond_wake.c", "mutex_move.c", "mutex.c"],
                ["include/furwock/cond.h", "include/furwock/mutex.h", "src/mutex_word.h",
                 "src/mutex_move.h", LINE], {"mutex.c": ["fw_mutex_lock"]}, FAULTS)
