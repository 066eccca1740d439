/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_MUTEX_SHARED_H
#define FW_PRELOAD_MUTEX_SHARED_H

#include <furwock/bits/deadline.h>
#include <furwock/wait.h>

#include "object.h"

/*
 * Process-shared mutexes that are not robust: the C library's 0/1/2 word.  With the results of
 * pthread_mutex_trylock, _clocklock (deadline NULL: none) and _unlock; types are seen to here.
 * Whoever dies holding one leaves it held.
 */
int fw_shared_trylock_(struct fw_posix_mutex_ *m);
int fw_shared_lock_(struct fw_posix_mutex_ *m, const fw_deadline *deadline);
int fw_shared_unlock_(struct fw_posix_mutex_ *m);

/* Lock with a wait policy; NULL: the process default. */
int fw_shared_lock_policy_(struct fw_posix_mutex_ *m, const fw_wait_policy *policy,
                           const fw_deadline *deadline);

#endif
