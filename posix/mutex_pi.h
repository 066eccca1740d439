/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_MUTEX_PI_H
#define FW_PRELOAD_MUTEX_PI_H

#include <furwock/bits/deadline.h>

#include "object.h"

/*
 * Mutexes that inherit priority, robust and shared ones too: the kernel's word.  With the results
 * of pthread_mutex_trylock, _clocklock (deadline NULL: none) and _unlock; types are seen to here.
 * Whoever holds one runs with the priority of its most urgent waiter.
 */
int fw_pi_trylock_(struct fw_posix_mutex_ *m);
int fw_pi_lock_(struct fw_posix_mutex_ *m, const fw_deadline *deadline);
int fw_pi_unlock_(struct fw_posix_mutex_ *m);

/* Has this machine such mutexes? */
bool fw_pi_is_there_(void);

#endif
