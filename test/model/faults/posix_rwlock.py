# SPDX-License-Identifier: MIT
"""Faults in the process-shared read-write lock of the POSIX drop-in."""
from .kinds import Family, Fault

SHARED = "posix/rwlock_shared.c"

FAULTS = [
    # --- Entering and leaving -------------------------------------------------------------------
    Fault("prw-past-readers", "a writer does not look at the readers", "prw", SHARED,
          "    return (w & (WRITER | READERS)) == 0;\n", "    return (w & WRITER) == 0;\n"),
    Fault("prw-past-writer", "a reader does not look at the writer", "prw", SHARED,
          "    return !is_written(w) && ((w", "    return ((w"),
    Fault("prw-keeps-flags", "a free lock says that some sleep", "prw", SHARED,
          "            left &= ~ASLEEP;\n", "            left &= ~WRITER;\n"),
    Fault("prw-looks-after", "looks at the lock when it has let go", "prw-free", SHARED,
          "        wake_next(half_of(l), w, writers_first);\n",
          "        wake_next(half_of(l), w | fw_load64_relaxed(&l->word), writers_first);\n"),
    Fault("prw-late-name", "takes its name out when it has let go", "prw-free", SHARED,
          "    if (is_free(left) && (w & ASLEEP) != 0)\n        wake_next",
          "    fw_store32_relaxed(&l->writer, 0);\n"
          "    if (is_free(left) && (w & ASLEEP) != 0)\n        wake_next"),
    Fault("prw-leaves-name", "leaves its name in the lock", "prw-asks", SHARED,
          "    if (is_written(w))\n        fw_store32_relaxed(&l->writer, 0);\n", ""),
    Fault("prw-no-name", "a writer does not say who it is", "prw-asks", SHARED,
          "            fw_store32_relaxed(&l->writer, fw_robust_self_());\n", ""),
    # --- Sleeping and waking --------------------------------------------------------------------
    Fault("prw-unannounced", "sleeps without a flag", "prw", SHARED,
          "    sleep_on(l, w | flag, reads", "    sleep_on(l, w, reads"),
    Fault("prw-sleeps-blind", "sleeps in a free lock", "prw", SHARED,
          "    if (reads ? lets_readers_in(l, w) : is_free(w))\n        return false;\n", ""),
    Fault("prw-wakes-nobody", "lets go and wakes nobody", "prw", SHARED,
          "    if (is_free(left) && (w & ASLEEP) != 0)\n        wake_next",
          "    if (false)\n        wake_next"),
    Fault("prw-one-reader", "wakes one of the readers", "prw-readers", SHARED,
          "        woken = fw_futex_wake_bitset(half, FW_FUTEX_ALL, BIT_READERS,",
          "        woken = fw_futex_wake_bitset(half, 1, BIT_READERS,"),
    Fault("prw-no-writer", "finds no reader asleep, and wakes no writer", "prw-writers", SHARED,
          "    if (woken <= 0 && !writers_first &&", "    if (woken < 0 && !writers_first &&"),
    Fault("prw-no-reader", "finds no preferred writer asleep, and wakes no reader",
          "prw-writers-readers", SHARED,
          "    if (woken <= 0 && (w & READERS_ASLEEP) != 0)\n",
          "    if (!writers_first && (w & READERS_ASLEEP) != 0)\n"),
    Fault("prw-no-debt", "has slept, and forgets that others sleep", "prw-writers", SHARED,
          "            debt = debt_of(l, reads);\n", "            debt = debt_of(l, reads) & 0;\n"),
    Fault("prw-readers-owe-nothing", "a reader has slept, and forgets the writers", "prw-mixed",
          SHARED, "    return prefers_writers(l) ? 0 : WRITERS_ASLEEP;\n",
          "    return prefers_writers(l) ? 0 : 0;\n"),
    Fault("prw-writers-owe-writers", "a preferred writer has slept, and forgets the readers",
          "prw-writers-first", SHARED, "        return ASLEEP;\n",
          "        return WRITERS_ASLEEP;\n"),
    Fault("prw-quiet-end", "gives up, and keeps a wake for itself", "prw-timed-writer", SHARED,
          "    if (error != 0 && debt != 0)\n", "    if (false)\n"),
    Fault("prw-sleeps-for-good", "does not look by itself now and then", "prw-killed-writer",
          SHARED, "bits, FW_FUTEX_SHARED, &nap);", "bits, FW_FUTEX_SHARED, deadline);"),
]

FAMILY = Family("posix_rwlock", ["rwlock_shared.c"], [], {}, FAULTS, "posix")
