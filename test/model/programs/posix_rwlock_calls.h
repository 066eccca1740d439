/* SPDX-License-Identifier: MIT */
#ifndef MODEL_POSIX_RWLOCK_CALLS_H
#define MODEL_POSIX_RWLOCK_CALLS_H

#include "calls.h"
#include "rwlock_shared.h"

typedef int posix_rwlock_call(struct fw_posix_rwlock_ *l, const fw_wait_policy *policy,
                              const fw_deadline *deadline);

/* The process-shared read-write lock of the POSIX drop-in. */
struct posix_rwlock_calls {
    void (*init)(struct fw_posix_rwlock_ *l);
    int (*try_read)(struct fw_posix_rwlock_ *l);
    int (*try_write)(struct fw_posix_rwlock_ *l);
    posix_rwlock_call *read, *write;
    void (*unlock)(struct fw_posix_rwlock_ *l);
};

#define posix_rwlock_in_use ((const struct posix_rwlock_calls *)calls_in_use[FAMILY_POSIX_RWLOCK])

#endif
