/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_MUTEX_H
#define FW_IPC_MUTEX_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/ipc/mutex.h>

#include "ipc/region/participant.h"

/* What the condition variable needs of the mutex. */

/*
 * If the caller holds the mutex, makes its release wake a thread: threads are about to be moved to
 * it.  False: it does not hold it.
 */
bool fw_ipc_mutex_mark_waiters_(fw_ipc_mutex *m, const struct fw_ipc_me_ *me);

/* The half on which its waiters sleep. */
const uint32_t *fw_ipc_mutex_half_(const fw_ipc_mutex *m);

/*
 * Takes the mutex for a thread that may have been moved to it: its own release wakes the next one.
 * As fw_ipc_mutex_lock.
 */
int fw_ipc_mutex_relock_(fw_ipc_mutex *m, const struct fw_ipc_me_ *me);

#endif
