# SPDX-License-Identifier: MIT
"""Faults in the read-write lock between processes."""
from edits import (after, argument, at, before, call, condition, drop, head, instead, operand,
                   value, word)

from .kinds import Family, Fault

READ = "src/ipc/rwlock.c"
WRITE = "src/ipc/rwlock_write.c"
WORD = "src/ipc/rwlock.h"
SHARES = "src/ipc/share.h"
SHARE = "src/ipc/share.c"
TASK = "src/ipc/rwlock_task.c"

LOOK_AGAIN = "*now = fw_load64_seq_cst(&l->word_); return FW_RW_CLOSED_;"

FAULTS = [
    Fault("ipc-rw-late-record", "a reader looks, then says that it reads", "ipc-rw", READ,
          instead("if (is_in(r)) { $1 return true; }", 2)),
    Fault("ipc-rw-buffered-record", "what a reader says may be seen after it has looked", "ipc-rw",
          READ, at("ipc-rw-late-record", call(1, word(1, "fw_store64_release")))),
    Fault("ipc-rw-no-hint", "a reader does not say where its record is", "ipc-rw", READ, drop()),
    Fault("ipc-rw-past-records", "a writer does not look at the records", "ipc-rw", WRITE,
          condition("error != 0")),
    Fault("ipc-rw-past-hint", "a writer does not look where records may be", "ipc-rw", WRITE,
          condition("me == NULL")),
    Fault("ipc-rw-unwatched", "sleeps, and does not watch the holder's life", "ipc-rw-told",
          "src/ipc/holder_word.h", at("ipc-owner-unwatched", drop())),
    Fault("ipc-rw-waits-for-dead", "a writer waits for readers that are dead", "ipc-rw-kill", WRITE,
          condition(operand(2, "FW_IPC_CORRUPT"))),
    Fault("ipc-rw-forgets-living", "a writer takes the records of the living away", "ipc-rw", WRITE,
          at("ipc-rw-waits-for-dead", condition("life != FW_IPC_CORRUPT"))),
    Fault("ipc-rw-hides-death", "a writer takes over, and the word does not say so", "ipc-rw-mixed",
          WRITE, operand(2, "")),
    Fault("ipc-rw-sound-anyway", "what a dead writer has left counts as sound", "ipc-rw-kill",
          WRITE, value("ESRCH")),
    Fault("ipc-rw-old-look", "tells a reader of a death by a word that has changed since",
          "ipc-rw-up", WRITE, instead("return EOWNERDEAD;")),
    Fault("ipc-rw-robs", "takes over from the living", "ipc-rw-writers", WRITE, drop()),
    Fault("ipc-rw-lost-hint", "lets go for a dead writer that had cleared the hint",
          "ipc-rw-tidy-three", WRITE, drop()),
    Fault("ipc-rw-frees-first", "frees the lock, then lets readers in", "ipc-rw-mixed", WRITE,
          instead("has_admitted = fw_cas64_seq_cst(&l->word_, &now, 0); if (has_admitted) return "
              "fw_ipc_shares_grant_(me->mapping, l, fw_load64_seq_cst(&l->hint_));")),
    Fault("ipc-rw-hasty-upgrade", "upgrades while others read", "ipc-rw-up", READ,
          argument(3, "deadline == NULL ? 0 : EBUSY")),
    Fault("ipc-rw-late-share", "a downgrade opens the lock, then says that it reads", "ipc-rw-down",
          READ, before("if (ipc_rw_is_written(now)) fw_ipc_rw_end_(l, &me, now, 0);"),
          at("ipc-rw-late-share-2", value("0"))),
    Fault("ipc-rw-no-wake", "a writer leaves, and wakes no writer", "ipc-rw-writers", WRITE,
          condition("next == 1")),
    Fault("ipc-rw-lost-stays", "gives the lock up, and leaves it as it is", "ipc-rw-give-up", WRITE,
          instead("$1 $1", 3)),
    Fault("ipc-rw-last-share", "gives back the last of its shares, not the first", "ipc-rw-beside",
          SHARES, head("for (unsigned i = FW_IPC_SHARES; i-- > 0;)")),
    Fault("ipc-rw-wakes-unsaid", "wakes readers, and leaves their records as they are",
          "ipc-rwt-joins", SHARE, condition(operand(2, ""))),
    Fault("ipc-rw-old-hint", "looks who waits, then opens the lock", "ipc-rwt-two-once", WRITE,
          value("ipc_rw_has_readers(now) ? fw_load64_seq_cst(&l->hint_) : 0")),
    # --- In the hands of tasks ---
    Fault("ipc-rwt-no-hint", "a process does not say where its record is", "ipc-rwt-writer", TASK,
          drop()),
    Fault("ipc-rwt-nobody-is-holder", "waits for the holder of a lock that is open again",
          "ipc-rwt-writer", TASK, after(LOOK_AGAIN)),
    Fault("ipc-rwt-open-is-closed", "waits beside a lock that is open again", "ipc-rwt", TASK,
          instead(LOOK_AGAIN)),
    Fault("ipc-rwt-quiet-retreat", "says that it reads, then not, and wakes no writer", "ipc-rwt",
          TASK, drop()),
    Fault("ipc-rwt-quiet-disclaim", "the same with a new record", "ipc-rwt", TASK, drop()),
    Fault("ipc-rwt-quiet-leave", "the last reader wakes no writer", "ipc-rwt", TASK, value("NULL")),
    Fault("ipc-rwt-late-leave", "a writer may look for the last reader before that has left",
          "ipc-rwt", TASK, word(1, "fw_store64_release")),
    Fault("ipc-rwt-waits-unseen", "waits, and does not say where its record is", "ipc-rwt", TASK,
          drop()),
    Fault("ipc-rwt-old-look", "sleeps, since the word once said that readers wait",
          "ipc-rwt-two-phases",
          TASK, value("((fw_load64_seq_cst(&l->word_) ^ now) & (FW_IPC_HOLDER | IPC_RW_PHASE)) "
                      "== 0 ? EBUSY : 0")),
    Fault("ipc-rwt-no-second-look", "sleeps, and does not look at the word again", "ipc-rwt", TASK,
          at("ipc-rwt-old-look", value("EBUSY"))),
    Fault("ipc-rwt-stays", "waits no longer, and leaves its record", "ipc-rwt-drop", TASK,
          condition("seen != 0")),
    Fault("ipc-rwt-keeps-share", "was admitted for nobody, and stays inside", "ipc-rwt-drop", TASK,
          value("false")),
    Fault("ipc-rwt-asleep-unsaid", "a writer sleeps, and the word does not say so", "ipc-rwt", TASK,
          drop()),
    Fault("ipc-rwt-past-records", "a writer does not look at the records", "ipc-rwt", TASK,
          condition("false")),
    Fault("ipc-rwt-forgets-living", "a writer takes the records of the living away", "ipc-rwt",
          TASK, at("ipc-rwt-waits-for-dead", condition("false"))),
    Fault("ipc-rwt-waits-for-dead", "a writer waits for readers that are dead", "ipc-rwt-kill",
          TASK, condition("true")),
    Fault("ipc-rwt-keeps-closed", "gives up, and leaves the lock closed", "ipc-rwt-cancel", TASK,
          drop()),
    Fault("ipc-rwt-unqueued", "a writer sleeps, and the word does not say so", "ipc-rwt-writers",
          TASK, drop(2)),
    Fault("ipc-rw-never-unsound", "does not see that nobody has repaired", "ipc-rw-give-up", WORD,
          operand(1, value(operand(2, "0")))),
]

FAMILY = Family("ipc_rwlock", ["rwlock_task.c", "rwlock.c", "rwlock_write.c", "share.c"],
                ["src/ipc/holder_word.h", "src/ipc/rwlock.h", "src/ipc/rwlock_task.h",
                 "src/ipc/share.h"],
                {}, FAULTS, "src/ipc")
