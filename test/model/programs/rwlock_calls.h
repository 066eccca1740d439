/* SPDX-License-Identifier: MIT */
#ifndef MODEL_RWLOCK_CALLS_H
#define MODEL_RWLOCK_CALLS_H

#include <furwock/rwlock.h>

#include "calls.h"

typedef int rwlock_policy_call(fw_rwlock *l, const fw_wait_policy *policy,
                               const fw_deadline *deadline);

struct rwlock_calls {
    void (*rdlock)(fw_rwlock *l);
    void (*wrlock)(fw_rwlock *l);
    rwlock_policy_call *rdlock_policy, *wrlock_policy, *uplock_policy;
    int (*tryrdlock)(fw_rwlock *l);
    int (*trywrlock)(fw_rwlock *l);
    int (*tryuplock)(fw_rwlock *l);
    void (*rdunlock)(fw_rwlock *l);
    void (*wrunlock)(fw_rwlock *l);
    void (*upunlock)(fw_rwlock *l);
    void (*unlock)(fw_rwlock *l);
    int (*tryupgrade)(fw_rwlock *l);
    int (*timedupgrade)(fw_rwlock *l, const fw_deadline *deadline);
    void (*downgrade)(fw_rwlock *l);
    void (*downgrade_upgradable)(fw_rwlock *l);
    pid_t (*owner)(const fw_rwlock *l);
};

#define rwlock_in_use ((const struct rwlock_calls *)calls_in_use[FAMILY_RWLOCK])

#endif
