/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_FUTEX_PI_H
#define FW_SYS_FUTEX_PI_H

#include <stdint.h>

#include <furwock/bits/deadline.h>
#include <furwock/futex.h>

/*
 * Locks that inherit priority, as the kernel has them (futex(2), "Priority-inheritance futexes"):
 * the word holds the owner's thread id, and FUTEX_WAITERS as long as the kernel knows of waiters.
 * What the kernel does not know of, the caller does alone: 0 -> id, and id -> 0.
 *
 * fw_futex_lock_pi_ waits until the kernel has made the caller the owner, or until the deadline:
 *   0           the caller is the owner; where the one before has died, FUTEX_OWNER_DIED is set
 *   -ETIMEDOUT  the deadline has passed
 *   -EDEADLK    the caller holds it, or a chain of such locks leads back to the caller
 *   -ESRCH      there is no such thread as the word names
 *   -EINVAL     the word and the kernel's records differ, somebody sleeps on it by other means, or
 *               the deadline lies before 1970
 *   -EPERM      the word names a thread of the kernel
 *   -ENOSYS     no such locks here
 *   -EFAULT     no such memory
 * Signals, want of memory for the kernel's records, and threads that are just ending are waited
 * out.  The deadline must be a valid one; clocks that the kernel does not know are seen to.
 */
int fw_futex_lock_pi_(uint32_t *word, unsigned flags, const fw_deadline *deadline);

/* Without waiting: -EBUSY if a thread has it, also one that is just ending. */
int fw_futex_trylock_pi_(uint32_t *word, unsigned flags);

/*
 * The caller, who is the owner, hands the lock to the waiter of the highest priority; frees it
 * where nobody waits.  -EPERM: the caller is not the owner; -EINVAL, -ENOSYS, -EFAULT as above.
 * Nothing of the word is touched once somebody else can have it.
 */
int fw_futex_unlock_pi_(uint32_t *word, unsigned flags);

#endif
