# SPDX-License-Identifier: MIT
"""Faults in how tasks of the real-time locks begin and end."""
from edits import at, before, call, condition, drop, swap, value, word

from .kinds import Family, Fault

TASK = "rt/task.c"

FAULTS = [
    Fault("rt-begin-blindly", "begins, and does not look who goes first", "rt-begin-held-back",
          TASK, value("0")),
    Fault("rt-begin-cpu-first", "moves to its CPU, and has its priority then", "rt-begin", TASK,
          before("sched_setaffinity(0, sizeof cpus, &cpus);")),
    Fault("rt-begin-unguarded", "takes a record that another one may be taking", "rt-begin-two",
          TASK, call(1, "fw_robust_announce_as_(&r, &w->state_lock, FW_ROBUST_INHERITS)")),
    Fault("rt-begin-uncounted", "begins, and those who have looked around do not know of it",
          "rt-begin-quick", TASK, before("if (w->begun == UINT32_MAX)")),
    Fault("rt-end-priority-first", "is an ordinary thread again, and leaves its CPU then",
          "rt-begin", TASK, swap()),
    Fault("rt-end-keeps-cpu", "ends, and stays on its CPU", "rt-begin-two", TASK,
          at("rt-end-priority-first", condition(word(4, "==")))),
    Fault("rt-end-keeps-proxies", "leaves its record, and knows of no proxy that bears its id",
          "rt-end-moved", TASK, before("if (fw_load32_relaxed(&t->record->unlock_call) != 0)")),
    Fault("rt-end-keeps-locks", "leaves its record, and still counts as a user of locks",
          "rt-begin-two", TASK, drop()),
]

FAMILY = Family("rt_begin", ["task.c", "open.c"], [], {}, FAULTS, "rt")
