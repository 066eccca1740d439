/* SPDX-License-Identifier: MIT */
#include "rwlock_calls.h"

extern const struct rwlock_calls CALLS;

const struct rwlock_calls CALLS = {
    .rdlock = fw_rwlock_rdlock,
    .wrlock = fw_rwlock_wrlock,
    .rdlock_policy = fw_rwlock_rdlock_policy,
    .wrlock_policy = fw_rwlock_wrlock_policy,
    .uplock_policy = fw_rwlock_upgradable_lock_policy,
    .tryrdlock = fw_rwlock_tryrdlock,
    .trywrlock = fw_rwlock_trywrlock,
    .tryuplock = fw_rwlock_upgradable_trylock,
    .rdunlock = fw_rwlock_rdunlock,
    .wrunlock = fw_rwlock_wrunlock,
    .upunlock = fw_rwlock_upgradable_unlock,
    .unlock = fw_rwlock_unlock,
    .tryupgrade = fw_rwlock_tryupgrade,
    .timedupgrade = fw_rwlock_timedupgrade,
    .downgrade = fw_rwlock_downgrade,
    .downgrade_upgradable = fw_rwlock_downgrade_upgradable,
    .owner = fw_rwlock_owner,
};
