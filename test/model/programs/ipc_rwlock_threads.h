/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_RWLOCK_THREADS_H
#define MODEL_IPC_RWLOCK_THREADS_H

#include <stdbool.h>

#include <furwock/bits/deadline.h>
#include <furwock/ipc/rwlock.h>

/* What threads do with a read-write lock of a region, beside tasks: each has one section. */
void ipc_rwlock_threads_make(fw_ipc_rwlock *l);
void ipc_rwlock_thread_reads(unsigned self, bool dies);
void ipc_rwlock_thread_writes(unsigned self, const fw_deadline *deadline);
void ipc_rwlock_thread_reads_upgradable(unsigned self, bool upgrades);

/* While somebody reads, others may act. */
void ipc_rwlock_pass(void);

/*
 * A thread that was answered `error` writes: repairs after a death, says so, and counts.  What
 * follows is the release.
 */
void ipc_rwlock_section(unsigned self, int error, int (*consistent)(void *of), void *of);

#endif
