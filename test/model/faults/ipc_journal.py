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
    # --- Whose it is ----------------------------------------------------------------------------
    Fault("ipc-journal-owner-first", "the journal names the mutex, then the mutex the journal",
          "ipc-journal-detach", JOURNAL,
          "    fw_store64_release(&past->journal_, fw_ipc_offset_(log->place, log->j));\n"
          "    if (fw_cas64_release(&log->j->owner_, &now, owner) || now == owner) "
          "/* nobody's -> owner's */\n        return 0;\n",
          "    if (fw_cas64_release(&log->j->owner_, &now, owner) || now == owner) {\n"
          "        fw_store64_release(&past->journal_, fw_ipc_offset_(log->place, log->j));\n"
          "        return 0;\n    }\n"),
    Fault("ipc-journal-name-first", "the mutex forgets the journal, then the journal the mutex",
          "ipc-journal-detach", JOURNAL,
          "    (void)fw_cas64_release(&log->j->owner_, &owner, 0); /* owner's -> nobody's */\n"
          "    fw_store64_release(&past->journal_, 0);\n",
          "    fw_store64_release(&past->journal_, 0);\n"
          "    (void)fw_cas64_release(&log->j->owner_, &owner, 0);\n"),
    Fault("ipc-journal-torn-owner", "takes a journal by a load and a store", "ipc-journal-rivals",
          JOURNAL,
          "    if (fw_cas64_release(&log->j->owner_, &now, owner) || now == owner) "
          "/* nobody's -> owner's */\n        return 0;\n",
          "    now = fw_load64_relaxed(&log->j->owner_);\n    if (now == 0 || now == owner) {\n"
          "        fw_store64_release(&log->j->owner_, owner);\n        return 0;\n    }\n"),
    Fault("ipc-journal-keeps-name", "does not get the journal, and names it", "ipc-journal-rivals",
          JOURNAL, "        return 0;\n    fw_store64_release(&past->journal_, 0);\n"
          "    return EBUSY;\n", "        return 0;\n    return EBUSY;\n"),
    Fault("ipc-journal-unasked-owner", "takes a journal that is another's", "ipc-journal-rivals",
          JOURNAL, "    return log->used != 0 || (log->owner != 0 && log->owner != owner) "
          "? EBUSY : 0;\n",
          "    return log->used != 0 ? EBUSY : (log->j->owner_ = 0);\n"),
    Fault("ipc-journal-parts-early", "takes away a journal that has records", "ipc-journal-early",
          JOURNAL, "    if (error == 0 && has_old && old.used != 0)\n        error = EBUSY;\n", ""),
    Fault("ipc-journal-keeps-old", "gets another journal, and the one before still names it",
          "ipc-journal-freed", JOURNAL, "    if (has_old)\n        part(&old, past);\n",
          "    if (has_old && old.used != 0)\n        part(&old, past);\n"),
    Fault("ipc-journal-undoes-others", "undoes what another mutex's holder does",
          "ipc-journal-rivals-visit", JOURNAL,
          "    return is_of(&log, lock) ? undo(&log) : ENOENT;\n",
          "    return is_of(&log, lock) || lock != NULL ? undo(&log) : ENOENT;\n"),
]

FAMILY = Family("ipc_journal", ["mutex.c", "recover.c", "journal.c"], ["src/ipc/journal.h"],
                {"mutex.c": ["fw_ipc_mutex_lock"]}, FAULTS, "src/ipc")
