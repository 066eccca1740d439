/* SPDX-License-Identifier: MIT */
#ifndef MODEL_POSIX_MUTEX_CALLS_H
#define MODEL_POSIX_MUTEX_CALLS_H

#include <furwock/wait.h>

#include "calls.h"
#include "mutex_robust.h"
#include "mutex_shared.h"
#include "mutex_type.h"

/* The shared mutex of the POSIX drop-in, and the robust one. */
struct posix_mutex_family {
    int (*trylock)(struct fw_posix_mutex_ *m);
    int (*lock)(struct fw_posix_mutex_ *m, const fw_wait_policy *policy,
                const fw_deadline *deadline);
    int (*unlock)(struct fw_posix_mutex_ *m);
};

#define POSIX_MUTEX_CALLS(CALL, DATA)                                     \
    DATA(struct posix_mutex_family, shared,                               \
         {fw_shared_trylock_, fw_shared_lock_policy_, fw_shared_unlock_}) \
    DATA(struct posix_mutex_family, robust,                               \
         {fw_robust_trylock_, fw_robust_lock_policy_, fw_robust_unlock_})
CALLS_TYPE(posix_mutex, POSIX_MUTEX_CALLS);

#define posix_mutex_in_use ((const struct posix_mutex_calls *)calls_in_use[FAMILY_POSIX_MUTEX])

#endif
