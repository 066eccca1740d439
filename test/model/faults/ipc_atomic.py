# SPDX-License-Identifier: MIT
"""Faults in the generic atomics between processes: redo log, lock, and how a table is made."""
from edits import argument, at, before, call, condition, drop, instead, operand, swap, value

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
          "ipc-atomic-store", GUARD_H,
          condition("fw_robust_lock_(&guard->shared->lock, &guard->robust, 0) == FW_ROBUST_LATE_")),
    Fault("ipc-atomic-declared-first", "declares the log, then writes it", "ipc-atomic-store",
          GUARD_H, instead("$3 $4 $1 $2", 4)),
    Fault("ipc-atomic-offset-late", "declares the log, then says of which object it is",
          "ipc-atomic-neighbours", GUARD_H, instead("$2 $3 $1", 3)),
    Fault("ipc-atomic-odd-late", "declares the log, then makes the sequence odd",
          "ipc-atomic-load-kill", GUARD_H, swap()),
    Fault("ipc-atomic-undeclared", "writes the object, and has declared nothing",
          "ipc-atomic-store", GUARD_H, drop()),
    Fault("ipc-atomic-even", "writes, and the sequence is not odd", "ipc-atomic-load", GUARD_H,
          at("ipc-atomic-odd-late", drop())),
    Fault("ipc-atomic-cleared-early", "clears the log, then writes the object", "ipc-atomic-store",
          GUARD_H, swap()),
    Fault("ipc-atomic-never-cleared", "leaves the log as it is", "ipc-atomic-store", GUARD_H,
          drop()),
    Fault("ipc-atomic-even-first", "makes the sequence even, then clears the log",
          "ipc-atomic-store", GUARD_H, at("ipc-atomic-never-cleared", swap())),
    Fault("ipc-atomic-left-odd", "leaves the sequence odd", "ipc-atomic-load", GUARD_H, drop()),
    Fault("ipc-atomic-repair-nothing", "a repair clears the log, and writes nothing",
          "ipc-atomic-store", GUARD, drop()),
    Fault("ipc-atomic-repair-cleared", "a repair clears the log, then writes the object",
          "ipc-atomic-kill-two", GUARD, at("ipc-atomic-repair-nothing", swap())),
    Fault("ipc-atomic-repair-keeps", "a repair leaves the log as it is", "ipc-atomic-store", GUARD,
          drop()),
    Fault("ipc-atomic-repair-odd", "a repair leaves the sequence odd", "ipc-atomic-store", GUARD,
          drop()),
    Fault("ipc-atomic-repair-even-first", "a repair makes the sequence even, then writes",
          "ipc-atomic-load-kill", GUARD,
          at("ipc-atomic-repair-nothing", before("fw_table_step_(stripe);"))),
    Fault("ipc-atomic-repair-part", "a repair writes all but the last word", "ipc-atomic-store",
          GUARD, at("ipc-atomic-repair-nothing", argument(3, "$ - 8"))),
    Fault("ipc-atomic-load-odd", "reads while a write is under way", "ipc-atomic-load", OBJECT,
          at("load-odd", drop())),
    Fault("ipc-atomic-load-unlocked", "a dead writer is in the way, and it reads without the lock",
          "ipc-atomic-load-kill", OBJECT, at("load-unlocked", instead("$2 $3", 4))),
    Fault("ipc-atomic-cas-stale", "relies on what was there before it had the lock",
          "ipc-atomic-cas", OBJECT, at("cas-unlocked", argument(1, "before == 1"))),
]

LOCKING = [
    Fault("ipc-atomic-unannounced", "takes the lock, then announces it", "ipc-atomic-lock-kill",
          LOCK_H,
          instead("if (__builtin_expect(fw_cas32_acquire(word, &nobody, fw_robust_self_()), 1)) { "
              "$1 return FW_ROBUST_TAKEN_; } $1", 2)),
    Fault("ipc-atomic-withdrawn-early", "withdraws the lock, then wakes", "ipc-atomic-lock-kill",
          LOCK_H, swap()),
    Fault("ipc-atomic-no-wake", "gives the lock back, and wakes nobody", "ipc-atomic-lock", LOCK,
          value("1")),
    Fault("ipc-atomic-forgets-waiters", "has slept, and takes the lock as if nobody else did",
          "ipc-atomic-lock", LOCK, value("id + 0 * word + 0 * (uint32_t)extra")),
    Fault("ipc-atomic-sleeps-unseen", "sleeps, and does not say so", "ipc-atomic-lock",
          "src/core/owner_word.h", at("owner-word-unannounced", value("*now"))),
    Fault("ipc-atomic-sleeps-anyway", "sleeps with whatever is in the word", "ipc-atomic-lock",
          LOCK, argument(2, "fw_load32_relaxed(me->word) + 0 * $")),
    Fault("ipc-atomic-robs", "takes the lock from an owner that was there before a sleep",
          "ipc-atomic-lock-rechecks", LOCK, value("me->has_elapsed && now == me->expected")),
    Fault("ipc-atomic-never-asks", "does not ask whether the owner lives",
          "ipc-atomic-lock-unmarked", LOCK, at("ipc-atomic-robs", call(1, "now == 0"))),
    Fault("ipc-atomic-untold-mark", "takes a lock that the kernel has marked, and is not told",
          "ipc-atomic-lock-kill", LOCK, value("owner_of(now) != 0 && is_left ? EOWNERDEAD : 0")),
    Fault("ipc-atomic-untold-gone", "takes a lock from one who is gone, and is not told",
          "ipc-atomic-lock-unmarked", LOCK,
          at("ipc-atomic-untold-mark", value("owner_of(now) == 0 && is_left ? EOWNERDEAD : 0"))),
    Fault("ipc-atomic-torn-lock", "takes the lock by a load and a store", "ipc-atomic-lock", LOCK,
          before("fw_store32_release(me->word, taken(now, me->r->id, extra));"),
          condition("now != 1")),
]

VERSION = "    head->version = FW_TABLE_VERSION_;\n"
CHECKSUM = "    head->checksum = checksum_of(head);\n"
MAGIC = "    fw_store64_release(&head->magic, FW_TABLE_MAGIC_);\n"
TAKE = "    how = fw_robust_lock_(&head->making, &robust, PATIENCE_RECHECKS);\n"
GIVE = "    fw_robust_unlock_(&head->making, &robust);\n"

MAKING = [
    Fault("ipc-atomic-magic-first", "says that the table is there, then writes the head",
          "ipc-atomic-create-join", CREATE,
          before("fw_store64_release(&head->magic, FW_TABLE_MAGIC_);")),
    Fault("ipc-atomic-checksum-late", "says that the table is there, then writes the checksum",
          "ipc-atomic-create-join", CREATE, swap()),
    Fault("ipc-atomic-makers", "makes a table beside another maker", "ipc-atomic-create", CREATE,
          instead("fw_robust_announce_(&robust, &head->making); how = FW_ROBUST_TAKEN_; "
              "fw_store32_relaxed(&head->making, robust.id);")),
    Fault("ipc-atomic-made-twice", "has waited for a maker, and makes the table again",
          "ipc-atomic-create", CREATE, value("0")),
    Fault("ipc-atomic-left-refused", "refuses what a dead maker has left", "ipc-atomic-create",
          CREATE, argument(3, operand(2, "FW_ROBUST_LATE_"))),
    Fault("ipc-atomic-keeps-making", "finds a table, and keeps the lock", "ipc-atomic-create",
          CREATE, before("if (error != EEXIST)")),
    Fault("ipc-atomic-unpublished", "makes the table, and forgets to say so", "ipc-atomic-create",
          CREATE, drop()),
]

FAMILY = Family("ipc_atomic", ["ipc/create.c", "object.c", "ipc/guard.c", "ipc/robust_lock.c"],
                ["src/core/owner_word.h", "atomic/ipc/guard.h", "atomic/ipc/robust_lock.h",
                 "atomic/ipc/table.h",
                 "atomic/object.h", "atomic/object_short.h"],
                {"object.c": ["fw_object_store_", "fw_object_exchange_",
                              "fw_object_compare_exchange_"]},
                LOGGING + LOCKING + MAKING, "atomic")
