# SPDX-License-Identifier: MIT
"""Faults in the generic atomics between processes: redo log, lock, and how a table is made."""
from .kinds import Family, Fault

GUARD_H = "atomic/ipc/guard.h"
GUARD = "atomic/ipc/guard.c"
LOCK_H = "atomic/ipc/robust_lock.h"
LOCK = "atomic/ipc/robust_lock.c"
CREATE = "atomic/ipc/create.c"
OBJECT = "atomic/object.c"

WRITE_LOG = "    fw_table_log_(stripe->log, value, n);\n"
WRITE_OFFSET = "    fw_store64_relaxed(&stripe->offset, guard->offset);\n"
MAKE_ODD = "    fw_table_step_(stripe);\n"
DECLARE = "    fw_store32_release(&stripe->logged, (uint32_t)n);\n"
BEGIN = WRITE_LOG + WRITE_OFFSET + MAKE_ODD + DECLARE
CLEAR = "    fw_store32_release(&stripe->logged, 0);\n"
END = "{\n" + CLEAR + MAKE_ODD
COPY_IN = "    fw_copy_in_(object, value, n);\n"
REDO = "        fw_copy_in_(region.base + offset, stripe->log, n);\n"
CLEAR_REDONE = "        fw_store32_release(&stripe->logged, 0);\n"
MAKE_EVEN = ("    if ((fw_load64_relaxed(&stripe->sequence) & 1) != 0)\n"
             "        fw_table_step_(stripe);\n")

LOGGING = [
    Fault("ipc-atomic-no-repair", "takes a dead one's lock, and repairs nothing",
          "ipc-atomic-store", GUARD_H, "0) != FW_ROBUST_TAKEN_)", "0) == FW_ROBUST_LATE_)"),
    Fault("ipc-atomic-declared-first", "declares the log, then writes it", "ipc-atomic-store",
          GUARD_H, BEGIN, MAKE_ODD + DECLARE + WRITE_LOG + WRITE_OFFSET),
    Fault("ipc-atomic-offset-late", "declares the log, then says of which object it is",
          "ipc-atomic-neighbours", GUARD_H, BEGIN, WRITE_LOG + MAKE_ODD + DECLARE + WRITE_OFFSET),
    Fault("ipc-atomic-odd-late", "declares the log, then makes the sequence odd",
          "ipc-atomic-load-kill", GUARD_H, BEGIN, WRITE_LOG + WRITE_OFFSET + DECLARE + MAKE_ODD),
    Fault("ipc-atomic-undeclared", "writes the object, and has declared nothing",
          "ipc-atomic-store", GUARD_H, BEGIN, WRITE_LOG + WRITE_OFFSET + MAKE_ODD),
    Fault("ipc-atomic-even", "writes, and the sequence is not odd", "ipc-atomic-load", GUARD_H,
          BEGIN, WRITE_LOG + WRITE_OFFSET + DECLARE),
    Fault("ipc-atomic-cleared-early", "clears the log, then writes the object",
          "ipc-atomic-store", GUARD_H, COPY_IN + "    fw_table_end_(guard->shared);\n",
          "    fw_table_end_(guard->shared);\n" + COPY_IN),
    Fault("ipc-atomic-never-cleared", "leaves the log as it is", "ipc-atomic-store", GUARD_H, END,
          "{\n" + MAKE_ODD),
    Fault("ipc-atomic-even-first", "makes the sequence even, then clears the log",
          "ipc-atomic-store", GUARD_H, END, "{\n" + MAKE_ODD + CLEAR),
    Fault("ipc-atomic-left-odd", "leaves the sequence odd", "ipc-atomic-load", GUARD_H, END,
          "{\n" + CLEAR),
    Fault("ipc-atomic-repair-nothing", "a repair clears the log, and writes nothing",
          "ipc-atomic-store", GUARD, REDO, ""),
    Fault("ipc-atomic-repair-cleared", "a repair clears the log, then writes the object",
          "ipc-atomic-kill-two", GUARD, REDO + CLEAR_REDONE, CLEAR_REDONE + REDO),
    Fault("ipc-atomic-repair-keeps", "a repair leaves the log as it is", "ipc-atomic-store", GUARD,
          CLEAR_REDONE, ""),
    Fault("ipc-atomic-repair-odd", "a repair leaves the sequence odd", "ipc-atomic-store", GUARD,
          MAKE_EVEN, ""),
    Fault("ipc-atomic-repair-even-first", "a repair makes the sequence even, then writes",
          "ipc-atomic-load-kill", GUARD, REDO,
          "    " + MAKE_ODD + REDO),
    Fault("ipc-atomic-repair-part", "a repair writes all but the last word", "ipc-atomic-store",
          GUARD, REDO, "        fw_copy_in_(region.base + offset, stripe->log, n - 8);\n"),
    Fault("ipc-atomic-load-odd", "reads while a write is under way", "ipc-atomic-load", OBJECT,
          "    if ((before & 1) != 0)\n        return false;\n    fw_copy_out_",
          "    fw_copy_out_"),
    Fault("ipc-atomic-load-unlocked", "a dead writer is in the way, and it reads without the lock",
          "ipc-atomic-load-kill", OBJECT,
          "    fw_guard_lock_(&guard);\n    fw_copy_out_(out, object, n);\n"
          "    fw_watch_acquire_(object, order);\n    fw_guard_unlock_(&guard);\n",
          "    fw_copy_out_(out, object, n);\n    fw_watch_acquire_(object, order);\n"),
    Fault("ipc-atomic-cas-stale", "relies on what was there before it had the lock",
          "ipc-atomic-cas", OBJECT,
          "(before & 1) != 0 || fw_load64_relaxed(fw_guard_sequence_(guard)) != before, 0))",
          "before == 1, 0))"),
]

LOCKING = [
    Fault("ipc-atomic-unannounced", "takes the lock, then announces it", "ipc-atomic-lock-kill",
          LOCK_H,
          "    fw_robust_announce_(r, word);\n"
          "    if (__builtin_expect(fw_cas32_acquire(word, &nobody, r->id), 1)) /* 0 -> id */\n"
          "        return FW_ROBUST_TAKEN_;\n",
          "    if (__builtin_expect(fw_cas32_acquire(word, &nobody, fw_robust_self_()), 1)) {\n"
          "        fw_robust_announce_(r, word);\n        return FW_ROBUST_TAKEN_;\n    }\n"
          "    fw_robust_announce_(r, word);\n"),
    Fault("ipc-atomic-withdrawn-early", "withdraws the lock, then wakes", "ipc-atomic-lock-kill",
          LOCK_H,
          "    if (__builtin_expect(was != r->id, 0))\n"
          "        fw_robust_unlock_slow_(word, r, was);\n    fw_robust_withdraw_(r);\n",
          "    fw_robust_withdraw_(r);\n    if (__builtin_expect(was != r->id, 0))\n"
          "        fw_robust_unlock_slow_(word, r, was);\n"),
    Fault("ipc-atomic-no-wake", "gives the lock back, and wakes nobody", "ipc-atomic-lock", LOCK,
          "    woken = fw_futex_wake(word, 1, FW_FUTEX_SHARED);\n", "    woken = 1;\n"),
    Fault("ipc-atomic-forgets-waiters", "has slept, and takes the lock as if nobody else did",
          "ipc-atomic-lock", LOCK,
          "id | (word & FW_ROBUST_WAITERS) | (has_slept ? FW_ROBUST_WAITERS : 0); /* R3 */",
          "id + 0 * word + 0 * has_slept;"),
    Fault("ipc-atomic-sleeps-unseen", "sleeps, and does not say so", "ipc-atomic-lock", LOCK,
          "        expected = now | FW_ROBUST_WAITERS;\n"
          "        if (!has_waiters(now) && !fw_cas32_relaxed(word, &now, expected)) {",
          "        expected = now;\n        if (owner_of(now) == 0 && has_waiters(now)) {"),
    Fault("ipc-atomic-sleeps-anyway", "sleeps with whatever is in the word", "ipc-atomic-lock",
          LOCK, "    error = fw_futex_wait(word, expected, FW_FUTEX_SHARED, &n->end);\n",
          "    error = fw_futex_wait(word, fw_load32_relaxed(word), FW_FUTEX_SHARED, &n->end);\n"),
    Fault("ipc-atomic-robs", "takes the lock from an owner that was there before a nap",
          "ipc-atomic-lock-naps", LOCK, "return has_napped && fw_robust_is_gone_(owner_of(now));",
          "return has_napped;"),
    Fault("ipc-atomic-never-asks", "does not ask whether the owner lives",
          "ipc-atomic-lock-unmarked", LOCK,
          "return has_napped && fw_robust_is_gone_(owner_of(now));",
          "return has_napped && now == 0;"),
    Fault("ipc-atomic-untold-mark", "takes a lock that the kernel has marked, and is not told",
          "ipc-atomic-lock-kill", LOCK, "return is_left ? FW_ROBUST_LEFT_ : FW_ROBUST_TAKEN_;",
          "return owner_of(now) != 0 && is_left ? FW_ROBUST_LEFT_ : FW_ROBUST_TAKEN_;"),
    Fault("ipc-atomic-untold-gone", "takes a lock from one who is gone, and is not told",
          "ipc-atomic-lock-unmarked", LOCK,
          "return is_left ? FW_ROBUST_LEFT_ : FW_ROBUST_TAKEN_;",
          "return owner_of(now) == 0 && is_left ? FW_ROBUST_LEFT_ : FW_ROBUST_TAKEN_;"),
    Fault("ipc-atomic-torn-lock", "takes the lock by a load and a store", "ipc-atomic-lock", LOCK,
          "            if (fw_cas32_acquire(word, &now, taken(now, r->id, has_slept)))\n"
          "                return",
          "            fw_store32_release(word, taken(now, r->id, has_slept));\n"
          "            if (now != 1)\n                return"),
]

VERSION = "    head->version = FW_TABLE_VERSION_;\n"
CHECKSUM = "    head->checksum = checksum_of(head);\n"
MAGIC = "    fw_store64_release(&head->magic, FW_TABLE_MAGIC_);\n"
TAKE = "    how = fw_robust_lock_(&head->making, &robust, PATIENCE_NAPS);\n"
GIVE = "    fw_robust_unlock_(&head->making, &robust);\n"

MAKING = [
    Fault("ipc-atomic-magic-first", "says that the table is there, then writes the head",
          "ipc-atomic-create-join", CREATE,
          VERSION, MAGIC + VERSION),
    Fault("ipc-atomic-checksum-late", "says that the table is there, then writes the checksum",
          "ipc-atomic-create-join", CREATE, CHECKSUM + MAGIC, MAGIC + CHECKSUM),
    Fault("ipc-atomic-makers", "makes a table beside another maker", "ipc-atomic-create", CREATE,
          TAKE, "    fw_robust_announce_(&robust, &head->making);\n    how = FW_ROBUST_TAKEN_;\n"
          "    fw_store32_relaxed(&head->making, robust.id);\n"),
    Fault("ipc-atomic-made-twice", "has waited for a maker, and makes the table again",
          "ipc-atomic-create", CREATE,
          "    error = fw_load64_relaxed(&head->magic) != 0 ? EEXIST : 0;\n", "    error = 0;\n"),
    Fault("ipc-atomic-left-refused", "refuses what a dead maker has left", "ipc-atomic-create",
          CREATE, "is_begun(head, largest, how == FW_ROBUST_LEFT_)",
          "is_begun(head, largest, how == FW_ROBUST_LATE_)"),
    Fault("ipc-atomic-keeps-making", "finds a table, and keeps the lock", "ipc-atomic-create",
          CREATE, GIVE, "    if (error != EEXIST)\n    " + GIVE),
    Fault("ipc-atomic-unpublished", "makes the table, and forgets to say so", "ipc-atomic-create",
          CREATE, MAGIC, ""),
]

FAMILY = Family("ipc_atomic", ["ipc/create.c", "object.c", "ipc/guard.c", "ipc/robust_lock.c"],
                ["atomic/ipc/guard.h", "atomic/ipc/robust_lock.h", "atomic/ipc/table.h",
                 "atomic/object.h", "atomic/object_short.h"],
                {"object.c": ["fw_object_store_", "fw_object_exchange_",
                              "fw_object_compare_exchange_"]},
                LOGGING + LOCKING + MAKING, "atomic")
