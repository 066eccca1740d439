/* SPDX-License-Identifier: MIT */
#ifndef MODEL_POSIX_BARRIER_CALLS_H
#define MODEL_POSIX_BARRIER_CALLS_H

#include "barrier.h"
#include "calls.h"

/* The barrier of the POSIX drop-in. */
struct posix_barrier_calls {
    int (*init)(pthread_barrier_t *b, const pthread_barrierattr_t *attr, unsigned count);
    int (*wait_by)(struct fw_posix_barrier_ *b, const fw_wait_policy *policy, const void *site);
    int (*destroy)(pthread_barrier_t *b);
};

#define posix_barrier_in_use \
    ((const struct posix_barrier_calls *)calls_in_use[FAMILY_POSIX_BARRIER])

#endif
