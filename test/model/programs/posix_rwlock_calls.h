/* SPDX-License-Identifier: MIT */
#ifndef MODEL_POSIX_RWLOCK_CALLS_H
#define MODEL_POSIX_RWLOCK_CALLS_H

#include "calls.h"
#include "rwlock_shared.h"

/* The process-shared read-write lock of the POSIX drop-in. */
#define POSIX_RWLOCK_CALLS(CALL, DATA)           \
    CALL(init, fw_rwlock_shared_init_)           \
    CALL(try_read, fw_rwlock_shared_tryrdlock_)  \
    CALL(try_write, fw_rwlock_shared_trywrlock_) \
    CALL(read, fw_rwlock_shared_rdlock_)         \
    CALL(write, fw_rwlock_shared_wrlock_)        \
    CALL(unlock, fw_rwlock_shared_unlock_)
CALLS_TYPE(posix_rwlock, POSIX_RWLOCK_CALLS);

#define posix_rwlock_in_use ((const struct posix_rwlock_calls *)calls_in_use[FAMILY_POSIX_RWLOCK])

#endif
