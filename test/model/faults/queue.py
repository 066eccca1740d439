# SPDX-License-Identifier: MIT
"""Faults in the mutex with queued operations."""
from edits import argument, before, condition, drop, operand, value

from .kinds import Family, Fault

QUEUE, MUTEX = "src/thread/mutex_queue.c", "src/thread/mutex.c"
AWAIT, CONDITION = "src/thread/mutex_await.c", "src/thread/mutex_condition.c"

FAULTS = [
    # --- Joining --------------------------------------------------------------------------------
    Fault("queued-unfenced", "joins without a fence: a plain release may be under way", "queue",
          QUEUE, condition("false")),
    Fault("queued-no-second-look", "does not look at the word again after the fence", "queue",
          QUEUE, value("false")),
    Fault("queued-first-unmarked", "is not marked where a task may have gone before a thread",
          "queue-turns-starving", QUEUE, value("0")),
    # --- Releasing ------------------------------------------------------------------------------
    Fault("queued-unseen", "a release does not look whether operations are queued", "queue", MUTEX,
          condition("false")),
    Fault("queued-cleared-early", "QUEUED goes with the first operation", "queue-three", QUEUE,
          value("MUTEX_QUEUED")),
    Fault("queued-free-and-invite", "a release frees the lock, and tells an operation",
          "queue-task", QUEUE, argument(3, "with_owner($, 0)")),
    Fault("queued-delivers-late", "the operation is granted after the bucket was left",
          "queue-cancel",
          QUEUE, before("fw_waitqueue_unlock_(bucket); bucket = fw_waitqueue_lock_(m);")),
    # --- Turns ----------------------------------------------------------------------------------
    Fault("queued-no-turns", "an overdue operation goes first, whatever its mark",
          "queue-turns-starving", QUEUE, condition("true")),
    Fault("queued-at-once", "operations wait for all threads", "queue-turns", QUEUE, value("true")),
    Fault("queued-yields-on", "the mark stays", "queue-turns", QUEUE, drop()),
    Fault("queued-no-mark", "a grant does not mark the next operation", "queue-turns-starving",
          QUEUE, value("0")),
    Fault("queued-mark-lost", "one that is cancelled takes its mark along", "queue-turns-cancel",
          QUEUE, condition("false")),
    # --- Leaving --------------------------------------------------------------------------------
    Fault("queued-stays", "the last one leaves QUEUED behind", "queue-cancel", QUEUE,
          before("return;")),
    Fault("queued-unclaimed", "grants the lock to one whose group has been won", "queue-lose",
          QUEUE, condition("true")),
    # --- Conditions -----------------------------------------------------------------------------
    Fault("condition-unseen", "a release evaluates no predicate", "condition", CONDITION,
          before("if (except == NULL || except != NULL) return fw_waitqueue_lock_(m);")),
    Fault("condition-unchecked", "a release grants the mutex to the first, whatever is true",
          "condition-false", CONDITION, condition(operand(1, "true"))),
    Fault("condition-leaves-chosen", "one that was chosen gives up", "condition-timed", AWAIT,
          condition("fw_store32_relaxed(&me->state, CONDITION_LEFT), false")),
    Fault("condition-stays", "one that gives up stays in the list", "condition-timed", AWAIT,
          drop()),
    Fault("condition-queued-lost", "QUEUED goes where only conditions are queued",
          "condition-twice", QUEUE, value("with_owner(w, 0) & (MUTEX_FENCED | MUTEX_GENERATION)")),
    Fault("condition-freed-unseen", "frees the mutex though a thread whose turn it was has left",
          "condition-threads-timed", QUEUE, condition("!has_waiters(*w) && false")),
    Fault("condition-no-turns", "conditions go first, whatever the mark", "condition-turns",
          CONDITION, value("yields && is_urgent(w)")),
    Fault("condition-no-mark", "a grant does not mark the next condition", "condition-turns",
          CONDITION, value("false")),
    Fault("condition-unwoken", "a grant wakes nobody", "condition", CONDITION, drop()),
]

FAMILY = Family("queue", ["thread/mutex_await.c", "thread/mutex.c", "thread/mutex_queue.c",
                          "thread/mutex_condition.c"],
                ["include/furwock/mutex.h", "src/thread/mutex_word.h",
                 "src/thread/mutex_release.h", "src/thread/mutex_requeue.h",
                 "src/thread/mutex_misuse.h", "src/thread/mutex_queue.h",
                 "src/thread/mutex_condition.h"],
                {"thread/mutex.c": ["fw_mutex_lock"]}, FAULTS)
