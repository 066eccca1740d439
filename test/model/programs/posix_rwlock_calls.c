/* SPDX-License-Identifier: MIT */
#include "posix_rwlock_calls.h"

extern const struct posix_rwlock_calls CALLS;

const struct posix_rwlock_calls CALLS = {
    .init = fw_rwlock_shared_init_,
    .try_read = fw_rwlock_shared_tryrdlock_,
    .try_write = fw_rwlock_shared_trywrlock_,
    .read = fw_rwlock_shared_rdlock_,
    .write = fw_rwlock_shared_wrlock_,
    .unlock = fw_rwlock_shared_unlock_,
};
