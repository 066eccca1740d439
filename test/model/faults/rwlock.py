# SPDX-License-Identifier: MIT
"""Faults in the read-write lock."""
from edits import after, argument, at, before, call, condition, drop, instead, operand, value

from .kinds import Family, Fault

RWLOCK, LINE, TURN = "src/thread/rwlock.c", "src/thread/rwlock_queue.c", "src/thread/rwlock_turn.c"
WORD = "src/thread/rwlock_word.h"

FAULTS = [
    # --- Entering and leaving -------------------------------------------------------------------
    Fault("rw-past-closed", "a reader does not look at CLOSED", "rw-readers-twice", WORD,
          operand(1, value(operand(2, "RW_WRITER")))),
    Fault("rw-past-readers", "a writer does not look at the readers", "rw", WORD,
          operand(1, value(operand(2, operand(3, ""))))),
    Fault("rw-past-upgradable", "two read upgradable", "rw-upgrades", WORD,
          operand(1, value(operand(2, operand(3, ""))))),
    Fault("rw-upgrades-early", "upgrades while others read", "rw-upgrade", RWLOCK,
          condition("rw_has_upgradable (w)")),
    Fault("rw-quiet-reader", "the last reader does not look at the line", "rw-two-readers", RWLOCK,
          condition("false")),
    Fault("rw-quiet-writer", "a writer leaves and does not look at the line", "rw", RWLOCK,
          condition("overdue")),
    Fault("rw-quiet-upgradable", "an upgradable reader leaves and does not look at the line",
          "rw-up", RWLOCK, condition("false")),
    Fault("rw-torn-downgrade", "a downgrade lets go in between", "rw-downgrade-readers", RWLOCK,
          argument(2, "RW_WRITER_LEAVES"),
          at("rw-torn-downgrade-2", before("fw_rwlock_rdlock(l);"))),
    # --- The queue ------------------------------------------------------------------------------
    Fault("rw-no-flags", "is queued, and the word does not say so", "rw", TURN,
          condition("!queue_has_sharers (queue)")),
    Fault("rw-open", "a writer in the queue does not set CLOSED", "rw-readers-twice", TURN,
          value("0")),
    Fault("rw-opens-early", "the door is open while a writer is coming", "rw-four", TURN,
          operand(1, value("($ & ~RW_CLOSED)"))),
    Fault("rw-coming-readers", "WAKING while somebody waits to read", "rw-two-writers", TURN,
          condition(operand(3, ""))),
    Fault("rw-coming-urgent", "WAKING while a real-time thread waits to write", "rw-urgent-comer",
          TURN, at("rw-coming-readers", condition(operand(5, "")))),
    Fault("rw-calls-urgent", "calls a real-time thread, and hands it nothing", "rw-urgent-comer",
          TURN, condition(operand(4, ""))),
    Fault("rw-calls-operation", "calls an operation, which cannot come", "rw-task-writers", TURN,
          at("rw-calls-urgent", condition(operand(5, "")))),
    Fault("rw-line-stale", "does not look how urgent it is before it sleeps", "rw-urgent-stale",
          LINE, condition("false")),
    Fault("rw-coming-upgrader", "WAKING while somebody upgrades", "rw-readers-upgrade", TURN,
          at("rw-coming-readers", condition(
              "(queue_has_awake_writer(queue) || queue_has_upgrader(queue)) && "
              "(writers_first || !queue_has_sharers(queue)) && (readers_first || !is_shared) && "
              "!is_urgent(first_writer(bucket, l))"))),
    Fault("rw-sleeps-blind", "sleeps without a last look at the line", "rw-writers", LINE,
          instead("wakes = (struct rw_wakes){0};")),
    Fault("rw-keeps-coming", "was called, and sleeps without giving that back", "rw-writers", LINE,
          drop(2)),
    Fault("rw-naps-by-realtime", "times its re-check by the deadline's clock", "rw-clock-step",
          "src/core/wait.c",
          at("naps-by-realtime", value("fw_deadline_in_(w->deadline == NULL ? CLOCK_MONOTONIC : "
              "w->deadline->clock, slice_ns)"))),
    Fault("rw-naps-for-good", "sleeps without an end, and is said to be coming", "rw-nap", LINE,
          argument(5, "0")),
    Fault("rw-late-pulse", "reads the pulse outside of the bucket", "rw-two-readers", LINE,
          argument(3, "fw_load32_relaxed(&bucket->pulse)")),
    # --- Whose turn it is -----------------------------------------------------------------------
    Fault("rw-writer-first", "a writer's release calls the next writer, and readers wait on",
          "rw-writer-twice", TURN, value(operand(1, ""))),
    Fault("rw-reader-first", "the last reader lets in readers before the writer",
          "rw-readers-twice", TURN, at("rw-writer-first", value(operand(4, "!rw_has_writer(w)")))),
    Fault("rw-lets-one-in", "of those who wait to read one is let in", "rw-two-readers", TURN,
          after("break;")),
    Fault("rw-miscounts", "counts those whom it lets in once, however many they are",
          "rw-two-readers", TURN, value("v->n_sharers == 0 ? $ : w")),
    Fault("rw-hands-nothing", "the last reader calls a writer instead of handing it the lock",
          "rw-four", TURN, at("rw-calls-urgent", condition(operand(1, "($ && false)")))),
    Fault("rw-calls-nobody", "frees the lock and calls no writer", "rw-writers", TURN, drop()),
    Fault("rw-upgrade-last", "an upgrade is not looked at when the last reader leaves",
          "rw-upgrade", TURN, condition("rw_is_free (w)")),
    # --- Telling them ---------------------------------------------------------------------------
    Fault("rw-no-pulse", "lets readers in and wakes nobody", "rw-two-readers", TURN, drop()),
    Fault("rw-same-pulse", "wakes, and leaves the word with which one is about to sleep",
          "rw-two-readers", TURN, drop()),
    Fault("rw-no-wake", "hands the lock to a sleeper and does not wake it", "rw-two-readers", TURN,
          condition("false")),
    Fault("rw-late-look", "looks whether it sleeps when it may be gone", "rw-two-readers", TURN,
          instead("{ $ fw_load32_relaxed(&v->granted->state); }")),
    Fault("rw-late-line", "writes to the lock after the grants", "rw-free", TURN,
          instead("$1 $2 $3 $4 $5 $1", 5)),
    # --- Giving up ------------------------------------------------------------------------------
    Fault("rw-stays", "gives up and stays queued", "rw-timed-writer", LINE, drop()),
    Fault("rw-keeps-door", "a writer gives up, and the door stays closed", "rw-timed-writer", LINE,
          instead("*wakes = (struct rw_wakes){0};")),
    Fault("rw-operation-unsaid", "an operation is queued, and the word does not say so",
          "rw-task", LINE, instead("wakes = (struct rw_wakes){0};")),
    Fault("rw-keeps-baton", "was called, gives up, and is still said to come", "rw-timed-writers",
          LINE, drop()),
    Fault("rw-refuses-grant", "it has timed out, and it does not look whether it has the lock",
          "rw-timed-reader", LINE, value("false")),
    Fault("rw-sees-stale", "counts waiters that a fork left behind", "rw-fork", LINE,
          instead("l->queue_ |= 0;")),
    # --- What the page says decides what it must not --------------------------------------------
    Fault("rw-robs-preempted", "takes the lock from a writer that is said not to run", "rw-lies",
          "src/thread/rwlock.c",
          before("if (fw_running_(rw_writer(w)) == FW_RUNNING_NO) return true;")),
    Fault("rw-calls-idle-only", "frees the lock and calls no writer where others want the CPU",
          "rw-lies", "src/thread/rwlock.c",
          at("rw-quiet-writer", call(1, "($ && !fw_cpu_is_wanted_())"))),
]

FAMILY = Family("rwlock", ["thread/rwlock.c", "thread/rwlock_queue.c", "thread/rwlock_turn.c",
                           "core/wait.c"],
                ["include/furwock/rwlock.h", WORD, "src/thread/rwlock_queue.h",
                 "src/thread/rwlock_misuse.h"],
                {"thread/rwlock.c": ["fw_rwlock_rdlock", "fw_rwlock_rdunlock", "fw_rwlock_wrlock",
                              "fw_rwlock_wrunlock"]}, FAULTS)
