/* SPDX-License-Identifier: MIT */
#ifndef FW_THREAD_RWLOCK_POSIX_H
#define FW_THREAD_RWLOCK_POSIX_H

#include <furwock/rwlock.h>

/*
 * An fw_rwlock in POSIX mode (mode.h).  The try calls and the uncontended paths are those of every
 * fw_rwlock.
 *
 * The identity of a reader, which the lock keeps beside their number, may be that of one that has
 * left: nothing is decided by it here.
 */

/*
 * Take the lock: 0; EDEADLK if the caller is the writer; ETIMEDOUT; EINVAL if it has to wait and
 * the deadline is malformed; rdlock: EAGAIN if there are too many readers.  A reader that asks for
 * the write lock, or for another read lock while readers are kept out, waits until the deadline.
 */
int fw_rwlock_rdlock_posix_(fw_rwlock *l, const fw_deadline *deadline);
int fw_rwlock_wrlock_posix_(fw_rwlock *l, const fw_deadline *deadline);

/*
 * Releases the write lock, whichever thread holds it, or one read lock; if nobody holds the lock,
 * nothing happens.  `seen` is the word as it was read last.
 */
void fw_rwlock_unlock_posix_(fw_rwlock *l, uint64_t seen);

#endif
