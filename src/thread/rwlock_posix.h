/* SPDX-License-Identifier: MIT */
#ifndef FW_THREAD_RWLOCK_POSIX_H
#define FW_THREAD_RWLOCK_POSIX_H

#include <furwock/rwlock.h>

/*
 * An fw_rwlock for programs that were written for another one, with other rules: the C library's
 * may be released by a thread that does not hold it, and answers the writer that asks again.
 * Nothing here stops the program.  The try calls and those that take the lock free of others are
 * the public ones.
 *
 * The name of a reader, which the lock keeps beside their number, may be that of one who has left:
 * no decision hangs on it here.
 */

/*
 * Take the lock: 0; EDEADLK where the caller writes; ETIMEDOUT; EINVAL where one must wait and the
 * deadline is malformed; reading, EAGAIN where there are too many readers.  A reader that writes
 * waits, as one that reads again while readers are kept out, for ever or until the deadline.
 */
int fw_rwlock_rdlock_posix_(fw_rwlock *l, const fw_deadline *deadline);
int fw_rwlock_wrlock_posix_(fw_rwlock *l, const fw_deadline *deadline);

/*
 * Releases the lock, whoever writes, or for one of those that read; where nobody does, nothing
 * happens.  The word has turned out to be `seen`.
 */
void fw_rwlock_unlock_posix_(fw_rwlock *l, uint64_t seen);

#endif
