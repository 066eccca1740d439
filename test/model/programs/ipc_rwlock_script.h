/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_RWLOCK_SCRIPT_H
#define MODEL_IPC_RWLOCK_SCRIPT_H

#include "script.h"

/*
 * The scripts of the programs for the read-write lock between processes.
 *
 *   read, try-read, timed-read       a section among readers
 *   again                            the same, and reads once more inside
 *   beside                           the same, and until then reads another lock
 *   write, try-write, timed-write    a section alone; after EOWNERDEAD repairs, and says so
 *   lax                              the same, and after EOWNERDEAD unlocks without a word
 *   up                               a section among readers, upgradable
 *   upgrade                          the same, then writes
 *   timed-upgrade                    the same, if the readers leave in time
 *   down                             writes, then reads
 *
 * Whoever writes counts two counters up, one after the other.  Checked, beside what is for the
 * mutex (ipc_mutex_script.h): who writes is alone, who may upgrade is one; and no reader comes in
 * while the counters differ, or a writer died and nobody has repaired.
 */
struct ipc_rwlock_script {
    bool repairs;        /* by a function that is registered */
    uint64_t generation; /* of the lock at first */
    uint64_t hint;       /* the same */
};

extern const struct model_hooks ipc_rwlock_hooks;

#endif
