/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_MUTEX_ROBUST_H
#define FW_PRELOAD_MUTEX_ROBUST_H

#include <furwock/bits/deadline.h>
#include <furwock/wait.h>

#include "object.h"

/*
 * Robust mutexes, private and shared: the kernel's word, in the thread's robust list.  With the
 * results of pthread_mutex_trylock, _clocklock (deadline NULL: none) and _unlock; types are seen to
 * here.  EOWNERDEAD: the owner has died; the caller has the mutex, and repairs what it protects.
 * ENOTRECOVERABLE: somebody has not.
 */
int fw_robust_trylock_(struct fw_posix_mutex_ *m);
int fw_robust_lock_(struct fw_posix_mutex_ *m, const fw_deadline *deadline);
int fw_robust_unlock_(struct fw_posix_mutex_ *m);

/* Lock with a wait policy; NULL: the process default. */
int fw_robust_lock_policy_(struct fw_posix_mutex_ *m, const fw_wait_policy *policy,
                           const fw_deadline *deadline);

#endif
