/* SPDX-License-Identifier: MIT */
#ifndef MODEL_MUTEX_CALLS_H
#define MODEL_MUTEX_CALLS_H

#include <furwock/mutex.h>

#include "thread/mutex_posix.h"

#include "calls.h"

struct mutex_calls {
    int (*trylock)(fw_mutex *m);
    void (*lock)(fw_mutex *m);
    int (*timedlock)(fw_mutex *m, const fw_deadline *deadline);
    int (*lock_policy)(fw_mutex *m, const fw_wait_policy *policy, const fw_deadline *deadline);
    void (*unlock)(fw_mutex *m);
    void (*unlock_fair)(fw_mutex *m);
    int (*lock_posix)(fw_mutex *m, const fw_deadline *deadline);
    void (*unlock_posix)(fw_mutex *m, bool fair);
    pid_t (*owner)(const fw_mutex *m);
};

#define mutex_in_use ((const struct mutex_calls *)calls_in_use[FAMILY_MUTEX])

#endif
