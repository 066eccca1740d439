/* SPDX-License-Identifier: MIT */
#ifndef MODEL_COND_CALLS_H
#define MODEL_COND_CALLS_H

#include <furwock/cond.h>

#include "calls.h"
#include "thread/cond_posix.h"
#include "thread/mutex_requeue.h"

struct cond_calls {
    void (*wait)(fw_cond *c, fw_mutex *m);
    int (*wait_policy)(fw_cond *c, fw_mutex *m, const fw_wait_policy *policy,
                       const fw_deadline *deadline);
    void (*signal)(fw_cond *c);
    void (*broadcast)(fw_cond *c);
    /* The mutex of the same copy. */
    int (*lock_policy)(fw_mutex *m, const fw_wait_policy *policy, const fw_deadline *deadline);
    void (*unlock)(fw_mutex *m);
    void (*unlock_fair)(fw_mutex *m);
    /* As the drop-in uses them. */
    int (*wait_posix)(fw_cond *c, const struct fw_cond_mutex_ *how, const fw_deadline *deadline);
    void (*lock_registered)(fw_mutex *m);
    void (*unlock_late)(fw_mutex *m, uint64_t *late, bool fair);
};

#define cond_in_use ((const struct cond_calls *)calls_in_use[FAMILY_COND])

#endif
