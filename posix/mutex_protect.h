/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_MUTEX_PROTECT_H
#define FW_PRELOAD_MUTEX_PROTECT_H

#include <furwock/bits/deadline.h>

#include "object.h"

/*
 * Mutexes that raise their owner to a ceiling, private and shared.  With the results of
 * pthread_mutex_trylock, _clocklock (deadline NULL: none) and _unlock; types are seen to here.
 * EINVAL also where the caller has a higher priority than the ceiling, or a policy that has none;
 * EPERM if it may not have that priority.
 */
int fw_protect_trylock_(struct fw_posix_mutex_ *m);
int fw_protect_lock_(struct fw_posix_mutex_ *m, const fw_deadline *deadline);
int fw_protect_unlock_(struct fw_posix_mutex_ *m);

/* The ceiling is in the upper bits of the word, as the C library has it. */
#define FW_PROTECT_SHIFT 19
static inline uint32_t fw_protect_word_(int ceiling)
{
    return (uint32_t)ceiling << FW_PROTECT_SHIFT;
}

static inline int fw_protect_ceiling_(uint32_t word)
{
    return (int)(word >> FW_PROTECT_SHIFT);
}

/* The lowest ceiling there is, and is it one at all? */
int fw_protect_lowest_(void);
bool fw_protect_is_ceiling_(int ceiling);

/* pthread_mutex_setprioceiling; old may be NULL. */
int fw_protect_set_ceiling_(struct fw_posix_mutex_ *m, int ceiling, int *old);

#endif
