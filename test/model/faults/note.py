# SPDX-License-Identifier: MIT
"""Faults in cancellable waits, and in the operations by which they wait."""
from edits import condition, drop, operand, step, swap, value

from .kinds import Family, Fault

NOTE, OPERATION = "src/await/note.c", "src/await/operation.c"
COND = "src/await/cond.c"

FAULTS = [
    # --- The thread that waits, and its wakers --------------------------------------------------
    Fault("note-counts-late", "a waker counts itself after it has changed the word", "note-lock",
          NOTE, swap()),
    Fault("note-leaves-early", "returns while a waker is on its way", "note-lock", NOTE,
          condition("true")),
    Fault("note-unheard", "does not wait for the waker of an operation that it ends", "note-lock",
          NOTE, condition("false")),
    Fault("note-polls-unheard", "goes on before the waker has come", "note-wait-signal", NOTE,
          drop()),
    Fault("note-heard-once", "takes the first telling of an operation for its second",
          "note-wait-timed", NOTE, condition("false")),
    Fault("note-one-level", "waits for its own event only, and not for its parent's",
          "note-wait-parent", NOTE, step("p = NULL, i++")),
    Fault("note-loses-grant", "is cancelled, and was granted what it waited for", "note-lock-timed",
          NOTE, condition(operand(2, "(end(&me->records[0]), false)"))),
    Fault("note-without-mutex", "is cancelled, and does not take the mutex again", "note-wait",
          NOTE, drop()),
    # --- Operations -----------------------------------------------------------------------------
    Fault("await-keeps-signal", "is signalled and cancelled, and passes nothing on",
          "note-wait-timed-other", OPERATION, drop()),
    Fault("await-swallows-signal", "goes to the mutex and is cancelled, and passes nothing on",
          "note-wait-timed-mutex", COND, drop()),
    Fault("await-unlocks-first", "releases the mutex before it is queued", "note-wait-signal", COND,
          swap()),
    Fault("await-not-again", "is signalled, and does not ask for the mutex", "note-wait-signal",
          COND, value("EINPROGRESS")),
]

FAMILY = Family("note", ["await/note.c", "await/operation.c", "await/cond.c", "await/mutex.c"], [],
                {"await/cond.c": ["fw_operation_cond_"], "await/mutex.c": ["fw_operation_mutex_"]},
                FAULTS)
