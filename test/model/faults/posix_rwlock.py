# SPDX-License-Identifier: MIT
"""Faults in the process-shared read-write lock of the POSIX drop-in."""
from edits import argument, at, condition, drop, instead, operand, value

from .kinds import Family, Fault

SHARED = "posix/rwlock_shared.c"

FAULTS = [
    # --- Entering and leaving -------------------------------------------------------------------
    Fault("prw-past-readers", "a writer does not look at the readers", "prw", SHARED,
          operand(1, value(operand(2, "WRITER")))),
    Fault("prw-past-writer", "a reader does not look at the writer", "prw", SHARED,
          value(operand(1, ""))),
    Fault("prw-keeps-flags", "a free lock says that some sleep", "prw", SHARED, value("~WRITER")),
    Fault("prw-looks-after", "looks at the lock when it has let go", "prw-free", SHARED,
          argument(2, "$ | fw_load64_relaxed(&l->word)")),
    Fault("prw-late-name", "takes its name out when it has let go", "prw-free", SHARED,
          instead("$1 $2 $1", 2)),
    Fault("prw-leaves-name", "leaves its name in the lock", "prw-asks", SHARED, drop()),
    Fault("prw-no-name", "a writer does not say who it is", "prw-asks", SHARED, drop()),
    # --- Sleeping and waking --------------------------------------------------------------------
    Fault("prw-unannounced", "sleeps without a flag", "prw", SHARED,
          argument(3, "(uint32_t)(w >> 32)")),
    Fault("prw-sleeps-blind", "sleeps in a free lock", "prw", SHARED, drop()),
    Fault("prw-wakes-nobody", "lets go and wakes nobody", "prw", SHARED, condition("false")),
    Fault("prw-one-reader", "wakes one of the readers", "prw-readers", SHARED, argument(2, "1")),
    Fault("prw-no-writer", "finds no reader asleep, and wakes no writer", "prw-writers", SHARED,
          condition(operand(1, "woken < 0"))),
    Fault("prw-no-reader", "finds no preferred writer asleep, and wakes no reader",
          "prw-writers-readers", SHARED, condition(operand(1, "!writers_first"))),
    Fault("prw-no-debt", "has slept, and forgets that others sleep", "prw-writers", SHARED,
          value("$ & 0")),
    Fault("prw-readers-owe-nothing", "a reader has slept, and forgets the writers", "prw-mixed",
          SHARED, value(operand(3, "0"))),
    Fault("prw-writers-owe-writers", "a preferred writer has slept, and forgets the readers",
          "prw-writers-first", SHARED, value("WRITERS_ASLEEP")),
    Fault("prw-quiet-end", "gives up, and keeps a wake for itself", "prw-timed-writer", SHARED,
          condition("false")),
    Fault("prw-sleeps-for-good", "does not look by itself now and then", "prw-killed-writer",
          "src/core/sleep.h", at("sleep-unbounded", argument(5, "s->deadline"))),
]

FAMILY = Family("posix_rwlock", ["rwlock_shared.c"], ["src/core/sleep.h"], {}, FAULTS, "posix")
