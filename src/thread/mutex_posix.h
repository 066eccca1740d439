/* SPDX-License-Identifier: MIT */
#ifndef FW_THREAD_MUTEX_POSIX_H
#define FW_THREAD_MUTEX_POSIX_H

#include <stdbool.h>

#include <furwock/mutex.h>

/*
 * An fw_mutex in POSIX mode (mode.h).  The releases are those of mutex.c, and all of its invariants
 * hold: which thread looks at the waiters half and stores makes no difference to MU1.
 */

/* Takes the mutex: 0, ETIMEDOUT, EINVAL as fw_mutex_timedlock; its owner waits like any thread. */
int fw_mutex_lock_posix_(fw_mutex *m, const fw_deadline *deadline);

/* Releases the mutex, whichever thread holds it; if none does, nothing happens. */
void fw_mutex_unlock_posix_(fw_mutex *m, bool fair);

#endif
