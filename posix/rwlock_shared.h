/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_RWLOCK_SHARED_H
#define FW_PRELOAD_RWLOCK_SHARED_H

#include <furwock/bits/deadline.h>
#include <furwock/wait.h>

#include "rwlock.h"

/*
 * Process-shared read-write locks: a small lock of their own on one futex, with the results of the
 * calls of the same names (rwlock.h).  Policies and deadlines may be NULL, and are valid.
 *
 * Among processes that end in the middle of a call this holds: whoever waits looks by itself now
 * and then, so that a wake that was lost with its bearer costs others a moment.  What a process
 * held when it ended stays held, as with the C library.
 *
 * A lock that lacks the magic aborts the program: fw_posix_foreign_.
 */
void fw_rwlock_shared_init_(struct fw_posix_rwlock_ *l);
int fw_rwlock_shared_tryrdlock_(struct fw_posix_rwlock_ *l);
int fw_rwlock_shared_rdlock_(struct fw_posix_rwlock_ *l, const fw_wait_policy *policy,
                             const fw_deadline *deadline);
int fw_rwlock_shared_trywrlock_(struct fw_posix_rwlock_ *l);
int fw_rwlock_shared_wrlock_(struct fw_posix_rwlock_ *l, const fw_wait_policy *policy,
                             const fw_deadline *deadline);
void fw_rwlock_shared_unlock_(struct fw_posix_rwlock_ *l);

#endif
