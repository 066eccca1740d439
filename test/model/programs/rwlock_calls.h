/* SPDX-License-Identifier: MIT */
#ifndef MODEL_RWLOCK_CALLS_H
#define MODEL_RWLOCK_CALLS_H

#include <furwock/rwlock.h>

#include "calls.h"

#define RWLOCK_CALLS(CALL, DATA)                               \
    CALL(rdlock, fw_rwlock_rdlock)                             \
    CALL(wrlock, fw_rwlock_wrlock)                             \
    CALL(rdlock_policy, fw_rwlock_rdlock_policy)               \
    CALL(wrlock_policy, fw_rwlock_wrlock_policy)               \
    CALL(uplock_policy, fw_rwlock_upgradable_lock_policy)      \
    CALL(tryrdlock, fw_rwlock_tryrdlock)                       \
    CALL(trywrlock, fw_rwlock_trywrlock)                       \
    CALL(tryuplock, fw_rwlock_upgradable_trylock)              \
    CALL(rdunlock, fw_rwlock_rdunlock)                         \
    CALL(wrunlock, fw_rwlock_wrunlock)                         \
    CALL(upunlock, fw_rwlock_upgradable_unlock)                \
    CALL(unlock, fw_rwlock_unlock)                             \
    CALL(tryupgrade, fw_rwlock_tryupgrade)                     \
    CALL(timedupgrade, fw_rwlock_timedupgrade)                 \
    CALL(downgrade, fw_rwlock_downgrade)                       \
    CALL(downgrade_upgradable, fw_rwlock_downgrade_upgradable) \
    CALL(owner, fw_rwlock_owner)
CALLS_TYPE(rwlock, RWLOCK_CALLS);

#define rwlock_in_use ((const struct rwlock_calls *)calls_in_use[FAMILY_RWLOCK])

#endif
