# SPDX-License-Identifier: MIT
"""Faults in the journal, and in what a mutex does with it."""
from .kinds import Family, Fault

JOURNAL = "src/ipc/journal.c"
MUTEX = "src/ipc/mutex.c"
RECOVER = "src/ipc/recover.c"

COPY = "    copy(log.room + log.used, p, n);\n"
TRAILER = ("    trailer = (fw_word_ *)(void *)(log.room + log.used + old);\n"
           "    fw_store64_relaxed(&trailer[0], at);\n    fw_store64_relaxed(&trailer[1], n);\n")
COUNT = ("    set_used(&log, log.used + old + sizeof(struct trailer)); "
         "/* J1: from here on it counts */\n")

FAULTS = [
    Fault("ipc-journal-counts-first", "a record counts before it is whole", "ipc-journal-kill",
          JOURNAL, COPY + TRAILER + COUNT,
          "    trailer = (fw_word_ *)(void *)(log.room + log.used + old);\n"
          "    set_used(&log, log.used + old + sizeof(struct trailer));\n"
          "    copy((char *)trailer - old, p, n);\n"
          "    fw_store64_relaxed(&trailer[0], at);\n    fw_store64_relaxed(&trailer[1], n);\n"),
    Fault("ipc-journal-never-counts", "a record never counts", "ipc-journal-kill", JOURNAL, COUNT,
          ""),
    Fault("ipc-journal-gone-first", "an undo takes the record away, then puts back what it says",
          "ipc-journal-kill-two", JOURNAL,
          "        copy(fw_ipc_address_(log->place, t.at, t.size), log->room + rest, t.size);\n"
          "        set_used(log, rest); /* J2: it is back */\n",
          "        set_used(log, rest);\n"
          "        copy(fw_ipc_address_(log->place, t.at, t.size), log->room + rest, t.size);\n"),
    Fault("ipc-journal-one", "an undo puts back the last record only", "ipc-journal-kill", JOURNAL,
          "        set_used(log, rest); /* J2: it is back */\n",
          "        set_used(log, 0 * rest);\n"),
    Fault("ipc-journal-no-commit", "unlock leaves the records", "ipc-journal-kill", JOURNAL,
          "    if (error == 0 && log.used != 0)\n        set_used(&log, 0);\n    return error;\n",
          "    return error;\n"),
    Fault("ipc-journal-late-commit", "unlocks, then empties the journal", "ipc-journal", MUTEX,
          "        error = fw_ipc_journal_commit_at_("
          "me.place, fw_load64_relaxed(&m->past_.journal_), m);\n    do\n"
          "        next = is_unsound(now) ? FW_IPC_NOBODY : 0;\n"
          "    while (!fw_cas64_release(&m->word_, &now, next));"
          " /* id -> 0, id|DIED -> NOBODY */\n",
          "        error = 0;\n    do\n"
          "        next = is_unsound(now) ? FW_IPC_NOBODY : 0;\n"
          "    while (!fw_cas64_release(&m->word_, &now, next));\n"
          "    error = fw_ipc_journal_commit_at_("
          "me.place, fw_load64_relaxed(&m->past_.journal_), m);\n"),
    Fault("ipc-journal-sound-early", "says that all is sound, then undoes", "ipc-journal-kill",
          RECOVER, "        is_sound = undo_journal(",
          "        is_sound = true || undo_journal("),
]

FAMILY = Family("ipc_journal", ["mutex.c", "recover.c", "journal.c"], ["src/ipc/journal.h"],
                {"mutex.c": ["fw_ipc_mutex_lock"]}, FAULTS, "src/ipc")
