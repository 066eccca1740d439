/* SPDX-License-Identifier: MIT */
#ifndef MODEL_POSIX_COND_CALLS_H
#define MODEL_POSIX_COND_CALLS_H

#include "calls.h"
#include "cond_shared.h"

/* The condition variable that processes share in the POSIX drop-in. */
struct posix_cond_calls {
    int (*wait)(struct fw_shared_cond_ *c, const struct fw_cond_mutex_ *how,
                const fw_deadline *deadline);
    void (*signal)(struct fw_shared_cond_ *c);
    void (*broadcast)(struct fw_shared_cond_ *c);
};

#define posix_cond_in_use ((const struct posix_cond_calls *)calls_in_use[FAMILY_POSIX_COND])

#endif
