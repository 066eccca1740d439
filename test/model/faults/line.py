# SPDX-License-Identifier: MIT
"""Faults in the mutex with operations in line."""
from edits import argument, before, condition, drop, operand, value

from .kinds import Family, Fault

LINE, MUTEX = "src/thread/mutex_line.c", "src/thread/mutex.c"
AWAIT, CONDITION = "src/thread/mutex_await.c", "src/thread/mutex_condition.c"

FAULTS = [
    # --- Joining --------------------------------------------------------------------------------
    Fault("line-unfenced", "joins without a fence: a plain release may be under way", "line", LINE,
          condition("false")),
    Fault("line-no-second-look", "does not look at the word again after the fence", "line", LINE,
          value("false")),
    Fault("line-first-unmarked", "is not marked where a task may have gone before a thread",
          "line-turns-starving", LINE, value("0")),
    # --- Releasing ------------------------------------------------------------------------------
    Fault("line-unseen", "a release does not look whether operations are queued", "line", MUTEX,
          condition("false")),
    Fault("line-cleared-early", "LINE goes with the first operation", "line-three", LINE,
          value("MUTEX_LINE")),
    Fault("line-free-and-invite", "a release frees the lock, and tells an operation",
          "line-task", LINE, argument(3, "with_owner($, 0)")),
    Fault("line-delivers-late", "the operation is granted after the bucket was left", "line-cancel",
          LINE, before("fw_waitqueue_unlock_(bucket); bucket = fw_waitqueue_lock_(m);")),
    # --- Turns ----------------------------------------------------------------------------------
    Fault("line-no-turns", "an overdue operation goes first, whatever its mark",
          "line-turns-starving", LINE, condition("true")),
    Fault("line-at-once", "operations wait for all threads", "line-turns", LINE, value("true")),
    Fault("line-yields-on", "the mark stays", "line-turns", LINE, drop()),
    Fault("line-no-mark", "a grant does not mark the next operation", "line-turns-starving", LINE,
          value("0")),
    Fault("line-mark-lost", "one that is cancelled takes its mark along", "line-turns-cancel", LINE,
          condition("false")),
    # --- Leaving --------------------------------------------------------------------------------
    Fault("line-stays", "the last one leaves LINE behind", "line-cancel", LINE,
          before("return;")),
    Fault("line-unclaimed", "grants the lock to one whose group has been won", "line-lose", LINE,
          condition("true")),
    # --- Conditions -----------------------------------------------------------------------------
    Fault("condition-unseen", "a release evaluates no predicate", "condition", CONDITION,
          before("if (except == NULL || except != NULL) return fw_waitqueue_lock_(m);")),
    Fault("condition-unchecked", "a release grants the mutex to the first, whatever is true",
          "condition-false", CONDITION, condition(operand(1, "true"))),
    Fault("condition-leaves-chosen", "one that was chosen gives up", "condition-timed", AWAIT,
          condition("fw_store32_relaxed(&me->state, CONDITION_LEFT), false")),
    Fault("condition-stays", "one that gives up stays in the list", "condition-timed", AWAIT,
          drop()),
    Fault("condition-line-lost", "LINE goes where only conditions are queued", "condition-twice",
          LINE, value("with_owner(w, 0) & (MUTEX_FENCED | MUTEX_GENERATION)")),
    Fault("condition-freed-unseen", "frees the mutex though a thread whose turn it was has left",
          "condition-threads-timed", LINE, condition("!has_waiters(*w) && false")),
    Fault("condition-no-turns", "conditions go first, whatever the mark", "condition-turns",
          CONDITION, value("yields && is_urgent(w)")),
    Fault("condition-no-mark", "a grant does not mark the next condition", "condition-turns",
          CONDITION, value("false")),
    Fault("condition-unwoken", "a grant wakes nobody", "condition", CONDITION, drop()),
]

FAMILY = Family("line", ["thread/mutex_await.c", "thread/mutex.c", "thread/mutex_line.c",
                         "thread/mutex_condition.c"],
                ["include/furwock/mutex.h", "src/thread/mutex_word.h",
                 "src/thread/mutex_release.h", "src/thread/mutex_requeue.h",
                 "src/thread/mutex_misuse.h", "src/thread/mutex_line.h",
                 "src/thread/mutex_condition.h"],
                {"thread/mutex.c": ["fw_mutex_lock"]}, FAULTS)
