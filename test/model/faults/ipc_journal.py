# SPDX-License-Identifier: MIT
"""Faults in the journal, and in what a mutex does with it."""
from edits import argument, at, condition, drop, instead, operand, swap, value

from .kinds import Family, Fault

JOURNAL = "src/ipc/region/journal.c"
MUTEX = "src/ipc/mutex.c"
RECOVER = "src/ipc/recover.c"

FAULTS = [
    Fault("ipc-journal-counts-first", "a record counts before it is whole", "ipc-journal-kill",
          JOURNAL, instead("$2 $5 copy((char *)trailer - old, p, n); $3 $4", 5)),
    Fault("ipc-journal-never-counts", "a record never counts", "ipc-journal-kill", JOURNAL, drop()),
    Fault("ipc-journal-gone-first", "an undo takes the record away, then puts back what it says",
          "ipc-journal-kill-two", JOURNAL, swap()),
    Fault("ipc-journal-one", "an undo puts back the last record only", "ipc-journal-kill", JOURNAL,
          argument(2, "0 * $")),
    Fault("ipc-journal-no-commit", "unlock leaves the records", "ipc-journal-kill", JOURNAL,
          drop()),
    Fault("ipc-journal-late-commit", "unlocks, then empties the journal", "ipc-journal", MUTEX,
          instead("error = 0; $2 $3 $4 $1", 4)),
    Fault("ipc-journal-sound-early", "says that all is sound, then undoes", "ipc-journal-kill",
          RECOVER, value("true || $")),
    # --- Whose it is ----------------------------------------------------------------------------
    Fault("ipc-journal-owner-first", "the journal names the mutex, then the mutex the journal",
          "ipc-journal-detach", JOURNAL, drop(),
          at("ipc-journal-owner-first-2", instead("{ fw_store64_release(&history->journal_, "
              "fw_ipc_offset_(log->mapping, log->j)); $ }"))),
    Fault("ipc-journal-name-first", "the mutex forgets the journal, then the journal the mutex",
          "ipc-journal-detach", JOURNAL, swap()),
    Fault("ipc-journal-torn-owner", "takes a journal by a load and a store", "ipc-journal-rivals",
          JOURNAL,
          instead("now = fw_load64_relaxed(&log->j->owner_); if (now == 0 || now == owner) { "
              "fw_store64_release(&log->j->owner_, owner); return 0; }")),
    Fault("ipc-journal-keeps-name", "does not get the journal, and names it", "ipc-journal-rivals",
          JOURNAL, drop()),
    Fault("ipc-journal-unasked-owner", "takes a journal that is another's", "ipc-journal-rivals",
          JOURNAL, value("log->used != 0 ? EBUSY : (log->j->owner_ = 0)")),
    Fault("ipc-journal-parts-early", "takes away a journal that has records", "ipc-journal-early",
          JOURNAL, drop()),
    Fault("ipc-journal-keeps-old", "gets another journal, and the one before still names it",
          "ipc-journal-freed", JOURNAL, condition("$ && old.used != 0")),
    Fault("ipc-journal-undoes-others", "undoes what another mutex's holder does",
          "ipc-journal-rivals-visit", JOURNAL, operand(1, "$ || lock != NULL")),
]

FAMILY = Family("ipc_journal", ["mutex.c", "recover.c", "region/journal.c"],
                ["src/ipc/region/journal.h"],
                {"mutex.c": ["fw_ipc_mutex_lock"]}, FAULTS, "src/ipc")
