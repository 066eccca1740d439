/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_RWLOCK_CHECK_H
#define MODEL_IPC_RWLOCK_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/ipc/rwlock.h>

#include "../engine/model.h"

/*
 * What must hold of a read-write lock between processes, whoever holds it.  Whoever writes counts
 * two counters up, one after the other.
 *
 * Who writes is alone, who may upgrade is one; no reader comes in while the counters differ, or a
 * writer died and nobody has repaired; the word changes as it may (as for the mutex: ipc_mutex.c).
 * A record of one that lives is changed by others from waiting to held only, and is gone when all
 * are done.
 */

/*
 * In model_shared.shadow.  WRITER, UPPER: thread + 1.  READERS: by thread.  OWED, GIVEN_UP:
 * ipc_mutex.c.  DIED_WRITING: a thread was killed that the word said to write, be it before or
 * after its section.  Behind OTHERS is what a program remembers besides.
 */
enum ipc_rwlock_shadow {
    WRITER,
    UPPER,
    READERS,
    OWED,
    GIVEN_UP,
    DIED_WRITING,
    GENERATION,
    FIRST,
    SECOND,
    SECTIONS,
    OTHERS
};

/* For setup: the region, and in it the lock.  `repairs`: a function for that is registered. */
fw_ipc_rwlock *ipc_rwlock_make(uint64_t generation, uint64_t hint, bool repairs);

/* After that: the threads from 0 on, as many, are of one process, whose slot is that of 0. */
void ipc_rwlock_one_process(unsigned threads);

/* Before a call that ends reading, writing or being upgradable the program clears its shadow. */
void ipc_rwlock_reads(unsigned self);
void ipc_rwlock_reads_upgradable(unsigned self);
void ipc_rwlock_writes(unsigned self, int error);
void ipc_rwlock_count(void);

/* For the hooks of these names. */
enum model_access ipc_rwlock_access(const void *p);
void ipc_rwlock_killed(unsigned thread);
void ipc_rwlock_changed(unsigned thread, uint64_t addr, uint64_t before);
void ipc_rwlock_finished(void);

#endif
